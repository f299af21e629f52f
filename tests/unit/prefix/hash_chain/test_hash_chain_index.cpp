// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>
#include <list>
#include <map>
#include <unordered_map>

#include "sim/prefix/hash_chain/hash_chain_index.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using vacancy::test::Random;

namespace {

struct Hash {
  std::size_t operator()(const ContentId& id) const {
    return std::hash<std::uint64_t>()(id.key * 31 + id.index * 7 + id.space);
  }
};

/// The same map as it is described: blocks under their contents, oldest first.
class PlainIndex {
 public:
  void insert(BlockId block, const ContentId& id) {
    blocks_[id].push_back(block);
    contents_[block] = id;
  }
  void forget(BlockId block) {
    const auto place = blocks_.find(contents_.at(block));
    place->second.remove(block);
    if (place->second.empty()) blocks_.erase(place);
    contents_.erase(block);
  }
  BlockId find(const ContentId& id) const {
    const auto place = blocks_.find(id);
    return place == blocks_.end() ? null_block : place->second.front();
  }
  const std::map<BlockId, ContentId>& contents() const { return contents_; }

 private:
  std::unordered_map<ContentId, std::list<BlockId>, Hash> blocks_;
  std::map<BlockId, ContentId> contents_;
};

constexpr ContentId content{7, 3, 0};

}  // namespace

TEST_CASE("V6: of blocks with equal contents the first that is still there is found") {
  HashChainIndex index(8);
  CHECK(index.find(content) == null_block);
  for (const std::uint32_t block : {5u, 2u, 7u, 0u})
    index.insert(BlockId(block), content);
  CHECK(index.size() == 4);
  CHECK(index.find(content) == BlockId(5));

  SECTION("the first goes") {
    index.forget(BlockId(5));
    CHECK(index.find(content) == BlockId(2));
    index.forget(BlockId(2));
    CHECK(index.find(content) == BlockId(7));
  }
  SECTION("one in the middle goes, then those before it") {
    index.forget(BlockId(7));
    CHECK(index.find(content) == BlockId(5));
    index.forget(BlockId(5));
    index.forget(BlockId(2));
    CHECK(index.find(content) == BlockId(0));
  }
  SECTION("the last goes, and one comes") {
    index.forget(BlockId(0));
    index.insert(BlockId(6), content);
    for (const std::uint32_t block : {5u, 2u, 7u})
      index.forget(BlockId(block));
    CHECK(index.find(content) == BlockId(6));
  }
  SECTION("one that comes again is the youngest") {
    index.forget(BlockId(5));
    index.insert(BlockId(5), content);
    for (const std::uint32_t block : {2u, 7u, 0u})
      index.forget(BlockId(block));
    CHECK(index.find(content) == BlockId(5));
  }
  SECTION("all go") {
    for (const std::uint32_t block : {5u, 0u, 7u, 2u})
      index.forget(BlockId(block));
    CHECK(index.size() == 0);
    CHECK(index.find(content) == null_block);
    for (std::uint32_t block = 0; block < 8; ++block)
      CHECK_FALSE(index.contains(BlockId(block)));
  }
}

TEST_CASE("V4: the same key in another place, tenant or group is another entry") {
  HashChainIndex index(4);
  index.insert(BlockId(0), {7, 3, 0});
  index.insert(BlockId(1), {7, 4, 0});
  index.insert(BlockId(2), {7, 3, 1});
  index.insert(BlockId(3), {8, 3, 0});
  CHECK(index.find({7, 3, 0}) == BlockId(0));
  CHECK(index.find({7, 4, 0}) == BlockId(1));
  CHECK(index.find({7, 3, 1}) == BlockId(2));
  CHECK(index.find({8, 3, 0}) == BlockId(3));
  CHECK(index.find({7, 4, 1}) == null_block);
}

// A table of 8 places with 4 ids: runs are long, and often lie across its end.
TEST_CASE("clusters, also across the end of the table, survive removals in every order") {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    std::array<ContentId, 4> ids;
    for (std::uint32_t i = 0; i < 4; ++i)
      ids[i] = {random.below(1'000'000), i, 0};
    std::array<std::uint32_t, 4> order{0, 1, 2, 3};
    do {
      HashChainIndex index(4);
      for (std::uint32_t block = 0; block < 4; ++block)
        index.insert(BlockId(block), ids[block]);
      for (std::size_t gone = 0; gone < 4; ++gone) {
        index.forget(BlockId(order[gone]));
        for (std::size_t i = 0; i < 4; ++i)
          REQUIRE(index.find(ids[order[i]]) == (i <= gone ? null_block : BlockId(order[i])));
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST_CASE("an index grows with the block ids that it meets, and forgets nothing") {
  HashChainIndex index;
  CHECK(index.find(content) == null_block);
  CHECK_FALSE(index.contains(BlockId(0)));
  std::vector<BlockId> blocks;
  for (std::uint32_t block = 0; block < 3000; block += 1 + block / 7)
    blocks.push_back(BlockId(block));
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    index.insert(blocks[i], {i / 3, 0, 0});
    for (std::size_t j = 0; j <= i; ++j) {
      REQUIRE(index.contains(blocks[j]));
      REQUIRE(index.find({j / 3, 0, 0}) == blocks[j / 3 * 3]);
    }
  }
}

TEST_CASE("random use agrees with a map of lists", "[property]") {
  const auto seed = GENERATE(range(0u, 12u));
  INFO("seed " << seed);
  Random random(seed);
  const std::uint32_t blocks = std::array{1u, 4u, 64u, 1000u}[seed % 4];
  const std::uint32_t distinct = std::max(1u, blocks / std::array{1u, 4u, 16u}[seed % 3]);
  HashChainIndex index(seed % 2 == 0 ? blocks : 0);
  PlainIndex plain;
  for (int operation = 0; operation < 20000; ++operation) {
    const BlockId block(random.below(blocks));
    REQUIRE(index.contains(block) == (plain.contents().count(block) == 1));
    if (index.contains(block)) {
      index.forget(block);
      plain.forget(block);
    } else {
      const std::uint32_t number = random.below(distinct);
      const ContentId id{number % 16, number / 16, number % 3};
      index.insert(block, id);
      plain.insert(block, id);
    }
    const std::uint32_t number = random.below(distinct);
    const ContentId id{number % 16, number / 16, number % 3};
    REQUIRE(index.find(id) == plain.find(id));
    REQUIRE(index.size() == plain.contents().size());
  }
  for (const auto& [block, id] : plain.contents())
    REQUIRE(index.find(id) == plain.find(id));
}
