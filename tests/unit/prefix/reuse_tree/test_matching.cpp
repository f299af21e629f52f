// SPDX-License-Identifier: Apache-2.0
// Rules T1, T5 and T6 of spec engines §3, which blocks a prompt finds, by hand-worked situations.
// More of T1 is in test_contents.cpp.
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;

TEST_CASE("T1: no hit across tenants, for equal prompts of every mix of LoRA and salt") {
  Rig rig(one_window(64));
  std::uint32_t id = 0;
  std::vector<ContentSpace> tenants;
  for (const std::optional<std::uint64_t> lora : {std::optional<std::uint64_t>(), {0}, {7}})
    for (const std::optional<std::uint64_t> salt : {std::optional<std::uint64_t>(), {0}, {7}})
      tenants.push_back(rig.cache.spaces().intern(lora, salt));
  for (const ContentSpace tenant : tenants) {
    CHECK(rig.add(id, counting(0, 9), {}, tenant) == 0);
    rig.release(id++);
  }
  for (const ContentSpace tenant : tenants) {
    CHECK(rig.add(id, counting(0, 9), {}, tenant) == 8);
    rig.release(id++);
  }
}

TEST_CASE("T5: prompts match up to their last token, at token granularity") {
  // A cached prompt of 8 tokens (block 4) hits 7, not 4: the last token only is computed again.
  Rig rig(one_window(16));
  rig.add(0, counting(0, 8));
  rig.know(0, counting(8, 1));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 8)) == 7);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 7)) == 6);
  rig.release(2);
  CHECK(rig.add(3, counting(0, 5)) == 4);  // 5 % 4 == 1: an extra empty block
  CHECK(rig.table(3).size() == 2);
  CHECK_FALSE(rig.window().tree().holds_tokens(rig.cache.table(SequenceId(3), 0).blocks[1]));
  rig.release(3);
  CHECK(rig.add(4, {0}) == 0);
  CHECK(rig.table(4).size() == 1);
}

TEST_CASE("T6: a full match is shared, by any number of sequences") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9));
  rig.store_context(0);
  CHECK(rig.add(1, counting(0, 9)) == 8);
  CHECK(rig.add(2, counting(0, 9)) == 8);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  CHECK(rig.table(2) == Ids{0, 1, 4});
  CHECK(rig.window().references(BlockId(1)) == 3);
  rig.release(0);
  rig.release(1);
  CHECK(rig.window().references(BlockId(1)) == 1);
  CHECK(rig.free() == 5);
}

TEST_CASE("T6: a held or inner block that matches in part is copied, at its own priority") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9), prompt_at(60, millisecond));
  rig.store_context(0);
  CHECK(rig.add(1, Words{0, 1, 2, 9}, prompt_at(80)) == 3);  // [0 1 2 3] is held
  CHECK(rig.table(1) == Ids{3});
  CHECK(rig.window().queues().priority(BlockId(3)) == Priority(60));
  CHECK(rig.window().queues().duration(BlockId(3)) == millisecond);
  CHECK(rig.window().tree().contents(BlockId(3)).tokens == 3);  // the prompt's, not the source's
  CHECK(rig.stored(0));
  rig.release(0);
  // Now [0 1 2 3] is free and has a child.
  CHECK(rig.add(2, Words{0, 1, 9, 9}) == 2);
  CHECK(rig.table(2) == Ids{4});
  CHECK(rig.cache.counters().copied == 2);
  CHECK(rig.cache.counters().copied_tokens == 5);
}

TEST_CASE("T6: a free leaf that matches in part leaves the tree and becomes private") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9), prompt_at(60, millisecond));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 6) + Words{9, 9, 9}) == 6);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  CHECK_FALSE(rig.stored(1));
  CHECK(rig.window().queues().priority(BlockId(1)) == Priority(60));  // kept
  CHECK(rig.window().queues().duration(BlockId(1)) == std::nullopt);  // dropped by the claim
  CHECK(rig.cache.counters().copied == 0);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 9)) == 6);  // [4 5 6 7] is gone, [4 5 9 9] is there
}

TEST_CASE("T6: after a partial match or a miss nothing more matches") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 13));
  rig.release(0);
  const Counters before = rig.cache.counters();
  CHECK(rig.add(1, Words{0, 1, 9, 3} + counting(4, 9)) == 2);  // [4..7] is not under [0 1 9 3]
  CHECK(rig.cache.counters().reused - before.reused == 1);
  CHECK(rig.cache.counters().missed - before.missed == 3);
}

TEST_CASE("T6: without partial reuse only whole blocks match") {
  CacheOptions options = one_window(8);
  options.partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 9));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 7)) == 4);
  CHECK(rig.stored(1));
  rig.release(1);
  CHECK(rig.add(2, counting(0, 9)) == 8);
}

TEST_CASE("T6: without copies only a free leaf is reused in part") {
  CacheOptions options = one_window(8);
  options.copy_on_partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 9));
  rig.store_context(0);
  CHECK(rig.add(1, Words{0, 1, 2, 9}) == 0);
  CHECK(rig.add(2, counting(0, 6)) == 4);  // [4..7] is held
  rig.release(0);
  rig.release(2);
  CHECK(rig.add(3, counting(0, 7)) == 6);  // a free leaf by now
  CHECK(rig.cache.counters().copied == 0);
}

TEST_CASE("T6: a partial block that matches exactly is copied while it is held, switches or not") {
  // The engine finds a key before it asks whether partial reuse is on.
  CacheOptions options = one_window(8);
  options.partial_reuse = false;
  options.copy_on_partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 7));
  rig.release(0);  // [4 5]
  CHECK(rig.add(1, counting(0, 7)) == 6);
  CHECK(rig.table(1) == Ids{0, 1});
}

TEST_CASE("blocks found by opaque keys share whole blocks, and a last block in part") {
  CacheOptions options = one_window(16);
  options.contents = reuse_tree::ContentKind::keys;
  Rig rig(options);
  const auto add = [&](std::uint32_t id, const Words& keys, std::uint32_t prompt) {
    const auto reused = rig.cache.add({SequenceId(id), {}, prompt, keys, {}, {}});
    rig.check();
    REQUIRE(reused.has_value());
    return *reused;
  };
  CHECK(add(0, {7, 8, 9}, 10) == 0);
  rig.cache.store_context(SequenceId(0));
  CHECK(add(1, {7, 8, 9}, 10) == 8);
  rig.cache.add_token(SequenceId(0));
  rig.release(0);  // [9] with two tokens
  CHECK(add(2, {7, 8, 9}, 11) == 10);
  CHECK(add(3, {7, 6, 9}, 10) == 4);
  for (const std::uint32_t id : {1u, 2u, 3u})
    rig.release(id);
  CHECK(rig.free() == 16);
  // Blocks beyond the keys are the sequence's own: its re-run finds them, nobody else.
  CHECK(add(4, {1}, 9) == 0);
  rig.release(4);
  CHECK(add(5, {1}, 9) == 4);
  rig.release(5);
  CHECK(add(4, {1}, 9) == 8);
}

TEST_CASE("a long decode finds its place without walking the path again") {
  // Two sequences with the same contents: the second one's blocks stay outside the tree.
  CacheOptions options = one_window(200, 0, 400);
  Rig rig(options);
  rig.add(0, counting(0, 5));
  rig.add(1, counting(0, 5));
  for (std::uint32_t id : {0u, 1u}) {
    rig.store_context(id);
    for (std::uint64_t token = 5; token < 300; ++token) {
      rig.know(id, {token});
      rig.cache.store_new_block(SequenceId(id));
      REQUIRE(rig.cache.add_slot(SequenceId(id)));
    }
    CHECK(rig.window().tree().stored_blocks() == 74);
  }
  rig.release(0);
  rig.release(1);
  CHECK(rig.window().tree().stored_blocks() == 75);
  CHECK(rig.add(2, counting(0, 300)) == 299);
}
