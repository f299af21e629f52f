// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/prefix/reuse_tree/reuse_tree.hpp"
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;
using vacancy::test::Words;

namespace {

ContentsView tokens(const Words& words, ContentSpace space = {}, const Words& extras = {}) {
  return {ContentKind::tokens, 4, space, words, extras, 1};
}

const auto anybody = [](BlockId) { return true; };

}  // namespace

TEST_CASE("T1: a block's identity is its space, tokens and multimodal items, prefix by the path") {
  const Words a{1, 2, 3, 4, 5};
  CHECK(tokens(a).block(0, 5) == tokens(a).block(0, 5));
  CHECK(tokens(a).block(1, 5).tokens == 1);
  CHECK(tokens(a).block(1, 4).tokens == 0);
  CHECK_FALSE(tokens(a).block(0, 5) == tokens(a).block(0, 3));
  CHECK_FALSE(tokens(a).block(0, 5) == tokens(a, ContentSpace(1)).block(0, 5));
  CHECK_FALSE(tokens(a).block(0, 5) == tokens(a, {}, {9}).block(0, 5));
  CHECK(tokens(a, {}, {9}).block(1, 5) == tokens(a, {}, {8}).block(1, 5));
  CHECK(token_word(7) != token_word(7, 1));

  ContentSpaces spaces;
  const auto none = spaces.intern({}, {});
  CHECK(spaces.intern(0, {}) != none);
  CHECK(spaces.intern({}, 0) != none);
  CHECK(spaces.intern({}, 0) != spaces.intern(0, {}));
  CHECK(spaces.intern({}, {}, true) != none);
  CHECK(spaces.intern(3, 4) == spaces.intern(3, 4));
}

TEST_CASE("T1: partial matches count leading tokens within one space and the same items") {
  const Words a{1, 2, 3, 4}, b{1, 2, 9, 4}, c{1, 2};
  CHECK(common_tokens(tokens(a).block(0, 4), tokens(b).block(0, 4)) == 2);
  CHECK(common_tokens(tokens(a).block(0, 4), tokens(c).block(0, 2)) == 2);
  CHECK(common_tokens(tokens(c).block(0, 2), tokens(a).block(0, 4)) == 2);
  CHECK(common_tokens(tokens(a).block(0, 4), tokens(a, ContentSpace(1)).block(0, 4)) == 0);
  CHECK(common_tokens(tokens(a).block(0, 4), tokens(a, {}, {5}).block(0, 4)) == 0);
}

TEST_CASE("T1: opaque keys stand for whole blocks; blocks beyond them are the sequence's own") {
  const Words keys{100, 200};
  const ContentsView a{ContentKind::keys, 4, {}, keys, {}, 7},
      b{ContentKind::keys, 4, {}, keys, {}, 8};
  CHECK(a.block(0, 12) == b.block(0, 12));
  CHECK_FALSE(a.block(2, 12) == b.block(2, 12));
  CHECK(a.block(2, 12) == a.block(2, 12));
  CHECK(common_tokens(a.block(1, 8), b.block(1, 7)) == 3);
  CHECK(common_tokens(a.block(0, 8), a.block(1, 8)) == 0);
  CHECK(common_tokens(a.block(2, 12), b.block(2, 12)) == 0);
  const Words two{2};
  const ContentsView c{ContentKind::keys, 4, {}, two, {}, 9};
  CHECK_FALSE(c.block(0, 4) == a.block(2, 12));  // key 2 is not a's own third block
}

TEST_CASE("T1: the longest partial match wins, ties go to the block stored first (ours)") {
  ReuseTree tree(8, 4, ContentKind::tokens);
  const Words a{1, 2, 3, 4}, b{1, 2, 5, 6}, c{1, 2, 3, 9}, d{7, 7, 7, 7};
  tree.insert(BlockId(5), tree.root(), tokens(b).block(0, 4));
  tree.insert(BlockId(2), tree.root(), tokens(a).block(0, 4));
  tree.insert(BlockId(3), tree.root(), tokens(d).block(0, 4));
  Match match = tree.match(tree.root(), tokens(c).block(0, 4), true, anybody);
  CHECK(match.block == BlockId(2));
  CHECK(match.tokens == 3);
  CHECK_FALSE(match.whole);
  match = tree.match(tree.root(), tokens(c).block(0, 2), true, anybody);
  CHECK(match.block == BlockId(5));  // two tokens of both
  CHECK(tree.match(tree.root(), tokens(c).block(0, 4), false, anybody).block == null_block);
  match = tree.match(tree.root(), tokens(a).block(0, 4), true, anybody);
  CHECK(match.block == BlockId(2));
  CHECK(match.whole);
  match = tree.match(tree.root(), tokens(c).block(0, 4), true,
                     [](BlockId block) { return block != BlockId(2); });
  CHECK(match.block == BlockId(5));
}

TEST_CASE("T7: a block leaves with all below it, children before parents") {
  ReuseTree tree(8, 4, ContentKind::tokens);
  const Words a{1, 2, 3, 4, 5, 6, 7, 8, 9}, b{1, 2, 3, 4, 0, 0, 0, 0};
  tree.insert(BlockId(0), tree.root(), tokens(a).block(0, 9));
  tree.insert(BlockId(1), BlockId(0), tokens(a).block(1, 9));
  tree.insert(BlockId(2), BlockId(1), tokens(a).block(2, 9));
  tree.insert(BlockId(3), BlockId(0), tokens(b).block(1, 8));
  std::vector<std::uint32_t> gone;
  tree.remove_subtree(BlockId(0), [&](BlockId block) { gone.push_back(block.value()); });
  CHECK(gone == std::vector<std::uint32_t>{2, 1, 3, 0});
  CHECK(tree.stored_blocks() == 0);
  CHECK(tree.find(tree.root(), tokens(a).block(0, 9)) == null_block);
  CHECK(tree.holds_tokens(BlockId(2)));  // contents stay until they are set anew
  tree.remove_subtree(BlockId(0), [](BlockId) { FAIL("not in the tree any more"); });
}
