// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <vector>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/philox.hpp"
#include "tests/support/eviction_round.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::uint32_t draw(std::uint32_t i, std::uint32_t salt) {
  return philox4x32_10({i, salt, 0, 0}, {5, 5})[0];
}

using Mask = std::vector<std::uint64_t>;

/// The definition: guarded first, then by value descending, then by index.
template <class T>
Mask by_sorting(const std::vector<T>& values, const Mask& guarded, std::uint32_t keep) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    const bool ga = bits::test(guarded, a), gb = bits::test(guarded, b);
    return ga != gb ? ga : !ga && values[a] > values[b];
  });
  Mask mask(bits::words(values.size()), 0);
  for (std::size_t i = 0; i < std::min<std::size_t>(keep, order.size()); ++i)
    bits::set(mask, order[i]);
  return mask;
}

template <class T, class Keep>
void check_against_sorting(Keep keep_function, std::uint32_t distinct) {
  SelectionScratch scratch;
  for (std::uint32_t trial = 0; trial < 300; ++trial) {
    const std::uint32_t size = 1 + draw(trial, 1) % 300;
    std::vector<T> values(size);
    Mask guarded(bits::words(size), 0);
    for (std::uint32_t i = 0; i < size; ++i) {
      const std::uint32_t value = draw(i, 100 + trial);
      values[i] = static_cast<T>(distinct == 0 ? value : value % distinct);
      if (draw(i, 1000 + trial) % 7 == 0) bits::set(guarded, i);
    }
    const auto protected_count = static_cast<std::uint32_t>(bits::count(guarded));
    for (const std::uint32_t keep :
         {protected_count, std::min(protected_count + 1, size), size / 2 + protected_count / 2,
          size - (size > protected_count ? 1 : 0), size, size + 3}) {
      if (keep < protected_count) continue;
      INFO("trial " << trial << ", size " << size << ", keep " << keep);
      Mask kept(bits::words(size), 0);
      keep_function(values, guarded, keep, kept, scratch);
      CHECK(kept == by_sorting(values, guarded, keep));
    }
  }
}

}  // namespace

TEST_CASE("selection by score is a stable sort cut at keep, guarded tokens first") {
  check_against_sorting<double>(keep_best, 0);
  check_against_sorting<double>(keep_best, 4);  // ties
  check_against_sorting<double>(keep_best, 1);  // nothing but ties
}

TEST_CASE("selection of draws is the same, also for draws that are far from uniform") {
  check_against_sorting<std::uint32_t>(keep_best_draws, 0);
  check_against_sorting<std::uint32_t>(keep_best_draws, 4);
  check_against_sorting<std::uint32_t>(keep_best_draws, 1);
}

TEST_CASE("many draws: the cut near one end, the extreme values, a whole word's tail") {
  SelectionScratch scratch;
  for (const std::uint32_t size : {2176u, 2047u, 16000u}) {
    std::vector<std::uint32_t> values(size);
    for (std::uint32_t i = 0; i < size; ++i)
      values[i] = i % 500 == 0 ? 0 : i % 501 == 0 ? 0xffffffff : draw(i, 7);
    const Mask guarded(bits::words(size), 0);
    for (const std::uint32_t keep : {1u, 16u, size / 2, size - 128, size - 1}) {
      INFO("size " << size << ", keep " << keep);
      Mask kept(bits::words(size), 0);
      keep_best_draws(values, guarded, keep, kept, scratch);
      CHECK(kept == by_sorting(values, guarded, keep));
    }
  }
}

TEST_CASE("guarded tokens: pinned prompt, sinks and the recent window, by position") {
  const Tokens live{0, 1, 5, 9, 12, 13, 20, 21};
  const auto guarded = [&](std::uint32_t prompt, Protection protection) {
    Mask mask(1, 0);
    const auto count = guard_tokens(live, 22, prompt, protection, mask);
    CHECK(count == bits::count(mask));
    return kept_tokens(live, mask);
  };
  CHECK(guarded(0, {}).empty());
  CHECK(guarded(0, {4, 0}) == Tokens{0, 1});     // positions, not live tokens
  CHECK(guarded(6, {4, 0}) == Tokens{0, 1, 5});  // the prompt covers the sinks
  CHECK(guarded(0, {0, 2}) == Tokens{20, 21});
  CHECK(guarded(0, {0, 10}) == Tokens{12, 13, 20, 21});
  CHECK(guarded(14, {0, 12}) == live);  // they overlap
  CHECK(guarded(0, {0, 100}) == live);  // more than there is
}

namespace {

struct Blocks {
  std::uint32_t block_size;
  Tokens slots;  // live tokens are 0, 1, 2 …
  std::vector<double> scores;
  std::vector<std::uint32_t> guarded;

  Tokens keep(std::uint32_t tokens, BlockAggregate aggregate) const {
    const Tokens live = first_tokens(static_cast<std::uint32_t>(slots.size()));
    Mask guard(bits::words(live.size()), 0), kept(bits::words(live.size()), 0);
    for (const std::uint32_t i : guarded)
      bits::set(guard, i);
    EvictionRound round;
    round.block_size = block_size;
    round.live = live;
    round.slots = slots;
    round.keep = tokens;
    round.guarded = guard;
    SelectionScratch scratch;
    keep_best_blocks(round, scores, aggregate, kept, scratch);
    return kept_tokens(live, kept);
  }
};

Tokens range(std::uint32_t first, std::uint32_t last) {
  Tokens tokens(last - first);
  std::iota(tokens.begin(), tokens.end(), first);
  return tokens;
}

Tokens operator+(Tokens a, const Tokens& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

// The worked example BA-1 of the block-aware page, with a fifth, newest block added, since the
// newest block is always kept.
TEST_CASE("whole blocks by sum, mean and maximum: worked example") {
  const Blocks blocks{
      4, first_tokens(20), {10, 0, 0, 0, 4, 4, 4, 4, 6, 6, 0, 0, 7, 1, 1, 0, 0, 0, 0, 0}, {}};
  const Tokens newest = range(16, 20);
  CHECK(blocks.keep(12, BlockAggregate::sum) == range(4, 12) + newest);
  CHECK(blocks.keep(12, BlockAggregate::mean) == range(4, 12) + newest);
  CHECK(blocks.keep(12, BlockAggregate::max) == range(0, 4) + range(12, 16) + newest);
  CHECK(blocks.keep(12, BlockAggregate::top4) == range(4, 12) + newest);  // B = 4: the sum
  CHECK(blocks.keep(9, BlockAggregate::sum) == range(4, 12) + newest);    // rounds up
  CHECK(blocks.keep(4, BlockAggregate::sum) == newest);
  CHECK(blocks.keep(100, BlockAggregate::sum) == range(0, 20));
}

TEST_CASE("the four largest of a longer block, and ties to the lower block") {
  // Block sums 8, 8, 7; four largest 4, 5, 7; newest block last.
  Blocks blocks{8,
                first_tokens(32),
                {1, 1, 1, 1, 1, 1, 1, 1, 2, 1, 1, 1, 1, 1, 1, 0,
                 3, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0},
                {}};
  CHECK(blocks.keep(16, BlockAggregate::top4) == range(16, 32));
  CHECK(blocks.keep(16, BlockAggregate::sum) == range(0, 8) + range(24, 32));
  blocks.scores.assign(32, 0.25);
  CHECK(blocks.keep(16, BlockAggregate::top4) == range(0, 8) + range(24, 32));
}

TEST_CASE("blocks with holes: a sum counts what is there, a mean what it is worth each") {
  // Block 0 has three tokens of 2, block 1 one token of 5, block 2 is gone, block 3 the newest.
  const Blocks blocks{4, {0, 1, 3, 6, 12}, {2, 2, 2, 5, 0}, {}};
  CHECK(blocks.keep(5, BlockAggregate::sum) == Tokens{0, 1, 2, 4});
  CHECK(blocks.keep(5, BlockAggregate::mean) == Tokens{3, 4});
}

TEST_CASE("beside a partial newest block the budget is met, by less than a block too much") {
  for (std::uint32_t length = 18; length <= 34; ++length) {
    const Blocks blocks{16, first_tokens(length), std::vector<double>(length, 1.0), {}};
    for (std::uint32_t keep = 1; keep < length; ++keep) {
      const std::size_t kept = blocks.keep(keep, BlockAggregate::sum).size();
      INFO("length " << length << ", keep " << keep);
      CHECK((kept >= keep && kept < keep + 16));
    }
  }
}

TEST_CASE("a guarded token forces its block, even more blocks than the budget has") {
  Blocks blocks{4, first_tokens(16), std::vector<double>(16, 0.0), {1}};
  blocks.scores[5] = 3;
  blocks.scores[9] = 2;
  CHECK(blocks.keep(8, BlockAggregate::sum) == range(0, 4) + range(12, 16));
  CHECK(blocks.keep(12, BlockAggregate::sum) == range(0, 8) + range(12, 16));
  blocks.guarded = {1, 9};
  CHECK(blocks.keep(8, BlockAggregate::sum) == range(0, 4) + range(8, 16));
}

TEST_CASE("blocks follow slots, not positions: tokens that filled holes count where they are") {
  // Tokens 4 and 5 sit in block 0, tokens 0 and 1 in block 1.
  const Blocks blocks{2, {2, 3, 4, 5, 0, 1, 6, 7}, {0, 0, 1, 1, 9, 9, 0, 0}, {}};
  CHECK(blocks.keep(4, BlockAggregate::sum) == Tokens{4, 5, 6, 7});
}
