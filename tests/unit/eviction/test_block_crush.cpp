// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "sim/eviction/block_crush.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Blocks that KVCrush opens beside those of `open`, of which `areas` take no part.
Tokens crush(const std::vector<double>& weights, const Tokens& slots, const CrushRule& rule,
             std::size_t count, const Tokens& areas, const Tokens& open) {
  std::vector<std::uint64_t> apart_mask(1), open_mask(1), guarded(bits::words(weights.size()));
  for (const std::uint32_t block : areas)
    bits::set(apart_mask, block);
  for (const std::uint32_t block : open)
    bits::set(open_mask, block);
  SelectionScratch scratch;
  open_representatives({weights, slots, guarded, 4}, apart_mask, rule, count + open.size(),
                       open_mask, scratch);
  Tokens opened;
  bits::for_each(open_mask, 0, 64, [&](std::size_t block) {
    if (std::find(open.begin(), open.end(), block) == open.end())
      opened.push_back(static_cast<std::uint32_t>(block));
  });
  return opened;
}

// Blocks of four tokens. Of the sixteen between the areas the eight above 8.5 have bit 1, so that
// blocks 1 to 4 are 1100, 0010, 0111 and 1001, slot 0 first.
const std::vector<double> made_weights{99, 99, 99, 99, 16, 15, 1, 2, 3, 4, 14, 5,
                                       6,  13, 12, 11, 10, 7,  8, 9, 0, 0, 0,  0};
const Tokens made_areas{0, 5};

}  // namespace

TEST_CASE("kvcrush: representatives by Hamming distance to the anchor, evenly spaced") {
  const Tokens slots = first_tokens(24);
  // Distances to 0000: 2, 1, 3, 2. One of four: the nearest. Two: every second, 2, 1, 4, 3.
  CHECK(crush(made_weights, slots, {CrushAnchor::zeros}, 1, made_areas, made_areas) == Tokens{2});
  CHECK(crush(made_weights, slots, {CrushAnchor::zeros}, 2, made_areas, made_areas) ==
        Tokens{2, 4});
  CHECK(crush(made_weights, slots, {CrushAnchor::zeros}, 3, made_areas, made_areas) ==
        Tokens{1, 2, 4});
  // To 1111: 2, 3, 1, 2, hence 3, 1, 4, 2.
  CHECK(crush(made_weights, slots, {CrushAnchor::ones}, 2, made_areas, made_areas) == Tokens{3, 4});
  // To 0101: 2, 3, 1, 2.
  CHECK(crush(made_weights, slots, {CrushAnchor::alternate}, 1, made_areas, made_areas) ==
        Tokens{3});
  // No slot has more than two of four bits: the mean is 0000.
  CHECK(crush(made_weights, slots, {CrushAnchor::mean}, 2, made_areas, made_areas) == Tokens{2, 4});
  // A block that stays anyway counts in the upper half and in the mean, and stands for nothing.
  CHECK(crush(made_weights, slots, {CrushAnchor::zeros}, 1, made_areas, {0, 2, 5}) == Tokens{1});
  CHECK(crush(made_weights, slots, {CrushAnchor::zeros}, 9, made_areas, {0, 2, 5}) ==
        Tokens{1, 3, 4});
}

TEST_CASE("kvcrush: a slot without a token is 0, ties fall to the lower block") {
  // Blocks 0 and 1 of one token each; the heavier one, half of two, has the bit.
  CHECK(crush({1, 2}, {1, 6}, {CrushAnchor::zeros}, 1, {}, {}) == Tokens{0});
  CHECK(crush({1, 2}, {1, 6}, {CrushAnchor::ones}, 1, {}, {}) == Tokens{1});
  CHECK(crush({2, 2, 2}, {2, 6, 10}, {CrushAnchor::ones}, 1, {}, {}) == Tokens{0});
}

TEST_CASE("kvcrush: a random anchor has the bits of its draws") {
  const Tokens slots = first_tokens(24);
  const std::vector<std::vector<int>> patterns = {
      {1, 1, 0, 0}, {0, 0, 1, 0}, {0, 1, 1, 1}, {1, 0, 0, 1}};
  std::set<Tokens> seen;
  for (std::uint32_t i = 0; i < 40; ++i) {
    const CrushRule rule{CrushAnchor::random, {i, 5}, {1, 2, i, 99}};
    std::vector<std::pair<int, std::uint32_t>> nearest;
    for (std::uint32_t block = 1; block <= 4; ++block) {
      int distance = 0;
      for (std::uint32_t slot = 0; slot < 4; ++slot)
        distance += patterns[block - 1][slot] !=
                    static_cast<int>(philox4x32_10({1, 2, i, slot}, {i, 5})[0] >> 31);
      nearest.emplace_back(distance, block);
    }
    const Tokens chosen = crush(made_weights, slots, rule, 1, made_areas, made_areas);
    CHECK(chosen == Tokens{std::min_element(nearest.begin(), nearest.end())->second});
    seen.insert(chosen);
  }
  CHECK(seen.size() == 4);
}

TEST_CASE("kvcrush: opens nothing beyond the count") {
  CHECK(crush(made_weights, first_tokens(24), {CrushAnchor::zeros}, 0, made_areas, {0, 1, 2, 5})
            .empty());
}
