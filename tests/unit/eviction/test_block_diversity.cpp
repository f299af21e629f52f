// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/eviction/block_diversity.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/support/policy_cases.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Blocks of two slots: which are open afterwards, block 0 being apart.
Tokens until_share(const std::vector<double>& weights, double share, std::size_t count) {
  const Tokens slots = first_tokens(static_cast<std::uint32_t>(weights.size()));
  std::vector<std::uint64_t> apart(1), open(1), guarded(bits::words(weights.size()));
  bits::set(apart, 0);
  bits::set(open, 0);
  SelectionScratch scratch;
  open_until_share({weights, slots, guarded, 2}, apart, share, count, open, scratch);
  return kept_tokens(first_tokens(64), open);
}

Tokens most_diverse(const GivenVectors::Rows& keys, const Tokens& slots, const Tokens& opened,
                    std::size_t count) {
  const GivenVectors attention(keys, keys);
  const CacheLayout layout(1, 1, TableKind::shared, Scope::model);
  const Tokens live = first_tokens(static_cast<std::uint32_t>(keys.size()));
  EvictionRound round;
  round.layout = &layout;
  round.block_size = 2;
  round.live = live;
  round.slots = slots;
  round.attention = &attention;
  std::vector<std::uint64_t> apart(1), open(1);
  bits::set(apart, 0);
  bits::set(open, 0);
  for (const std::uint32_t block : opened)
    bits::set(open, block);
  SelectionScratch scratch;
  open_most_diverse(round, apart, count, open, scratch);
  return kept_tokens(first_tokens(64), open);
}

}  // namespace

// Blocks 1, 2, 3 are worth 5, 3 and 2 of 10; block 0 is apart, however heavy.
TEST_CASE("blocks by weight until they hold a share, or enough are open") {
  const std::vector<double> weights{50, 50, 4, 1, 1, 2, 1, 1};
  CHECK(until_share(weights, 0.5, 4) == Tokens{0, 1});
  CHECK(until_share(weights, 0.51, 4) == Tokens{0, 1, 2});
  CHECK(until_share(weights, 1, 4) == Tokens{0, 1, 2, 3});
  CHECK(until_share(weights, 1, 2) == Tokens{0, 1});
  CHECK(until_share(weights, 0, 4) == Tokens{0});
  CHECK(until_share(weights, 1, 1) == Tokens{0});
}

// Keys of blocks 1 and 2 look right, those of block 3 up. A key of block 1 has cosines 1, 1, 1 to
// its like and 0 to the two of block 3: mean 3/5 or, itself counted as 0 among six, 3/6; the ones
// count. A key of block 3 has 1 to its like, mean 1/6. Likeness 6, 6 and 2.
TEST_CASE("of blocks that are alike the one that differs stays, then the lower") {
  const std::vector<float> right{2, 0}, up{0, 3};
  const GivenVectors::Rows keys{up, up, right, right, right, right, up, up};
  const Tokens slots = first_tokens(8);
  CHECK(most_diverse(keys, slots, {}, 2) == Tokens{0, 3});
  CHECK(most_diverse(keys, slots, {}, 3) == Tokens{0, 1, 3});
  CHECK(most_diverse(keys, slots, {}, 4) == Tokens{0, 1, 2, 3});
  CHECK(most_diverse(keys, slots, {}, 1) == Tokens{0});
  // Likeness to open blocks does not count: without block 1 there are 2 and 2.
  CHECK(most_diverse(keys, slots, {1}, 3) == Tokens{0, 1, 2});
}

TEST_CASE("a block with a hole is like fewer") {
  const std::vector<float> right{2, 0};
  const GivenVectors::Rows keys{right, right, right, right, right};
  CHECK(most_diverse(keys, {0, 2, 3, 4, 6}, {}, 2) == Tokens{0, 2});
}
