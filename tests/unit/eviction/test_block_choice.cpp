// SPDX-License-Identifier: Apache-2.0
// The algorithms of spec block_aware §3 on its worked example BA-1 and against all choices.
#include <algorithm>
#include <catch2/catch.hpp>

#include "sim/eviction/block_choice.hpp"
#include "sim/eviction/block_oracle.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "tests/support/eviction_round.hpp"
#include "tests/support/random.hpp"
#include "tests/support/scaled.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using Weights = std::vector<double>;
using Mask = std::vector<std::uint64_t>;

/// Full blocks of `b` slots, nothing guarded and no block forced.
struct BlockTableOf {
  std::uint32_t b;
  Weights weights;
  Tokens slots = first_tokens(static_cast<std::uint32_t>(weights.size()));
  Mask guarded = Mask(bits::words(weights.size()), 0);

  WeighedTokens tokens() const { return {weights, slots, guarded, b}; }
  std::size_t blocks() const { return weights.size() / b; }
  Mask none() const { return Mask(bits::words(weights.size()), 0); }
  Mask open(BlockValue value, std::size_t count) const {
    Mask opened = none();
    SelectionScratch scratch;
    open_best_blocks(tokens(), value, count, opened, scratch);
    return opened;
  }
  Mask whole(const Mask& opened) const {
    Mask kept = none();
    keep_open_blocks(tokens(), opened, kept);
    return kept;
  }
  double weight(const Mask& kept) const {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i)
      if (bits::test(kept, i)) sum += weights[i];
    return sum;
  }
  double swapped(Mask kept, std::uint32_t most, double floor = 2) const {
    SelectionScratch scratch;
    swap_tokens(tokens(), most, floor, kept, scratch);
    return weight(kept);
  }
  BlockWeights by_block() const {
    BlockWeights result(blocks());
    for (std::size_t i = 0; i < weights.size(); ++i)
      result[i / b].push_back(weights[i]);
    return result;
  }
};

Tokens set_bits(const Mask& mask, std::size_t size) {
  Tokens result;
  bits::for_each(mask, 0, size,
                 [&](std::size_t i) { result.push_back(static_cast<std::uint32_t>(i)); });
  return result;
}

const BlockTableOf ba1{4, {10, 0, 0, 0, 4, 4, 4, 4, 6, 6, 0, 0, 7, 1, 1, 0}};

/// Many equal weights among them.
BlockTableOf random_table(Random& random, std::uint32_t b, std::uint32_t blocks) {
  Weights weights(std::size_t{b} * blocks);
  for (double& weight : weights)
    weight = random.one_in(3) ? 0 : random.below(12);
  return {b, weights};
}

}  // namespace

TEST_CASE("BA-1: two blocks by sum, maximum and the two largest") {
  const auto chosen = [](BlockValue value) { return set_bits(ba1.open(value, 2), ba1.blocks()); };
  const auto weight = [](BlockValue value) { return ba1.weight(ba1.whole(ba1.open(value, 2))); };
  CHECK(chosen(BlockAggregate::sum) == Tokens{1, 2});
  CHECK(weight(BlockAggregate::sum) == 28);
  CHECK(chosen(BlockAggregate::mean) == Tokens{1, 2});
  CHECK(chosen(BlockAggregate::max) == Tokens{0, 3});
  CHECK(weight(BlockAggregate::max) == 19);
  CHECK(chosen({BlockAggregate::top4, 2}) == Tokens{0, 2});
  CHECK(weight({BlockAggregate::top4, 2}) == 22);
}

TEST_CASE("BA-1: P2, tokens until two blocks are open, then filled, are the blocks by maximum") {
  Mask kept = ba1.none(), open = ba1.none();
  Tokens order = first_tokens(16);
  std::stable_sort(order.begin(), order.end(),
                   [](auto a, auto b) { return ba1.weights[a] > ba1.weights[b]; });
  for (const std::uint32_t i : order) {
    if (!bits::test(open, i / 4) && bits::count(open) == 2) break;
    bits::set(open, i / 4);
    bits::set(kept, i);
  }
  CHECK(ba1.weight(kept) == 17);
  CHECK(ba1.weight(ba1.whole(open)) == 19);
  CHECK(open == ba1.open(BlockAggregate::max, 2));
}

TEST_CASE("BA-1: the best weight at up to three moves, by A5, and A3 beside it") {
  const BlockWeights blocks = ba1.by_block();
  CHECK(most_weight_by_moves(blocks, 4, 1, 3) == Weights{16, 22, 29, 29});
  CHECK(most_weight_by_moves(blocks, 4, 2, 3) == Weights{28, 38, 45, 45});
  CHECK(most_weight_by_moves(blocks, 4, 3, 3) == Weights{38, 47, 47, 47});
  CHECK(ba1.swapped(ba1.whole(ba1.open(BlockAggregate::sum, 1)), 2) == 25);
}

TEST_CASE("BA-1: P3, sums keep at least m / h of the heaviest tokens' weight") {
  const Mask heaviest = [] {
    Mask kept = ba1.none();
    SelectionScratch scratch;
    keep_best(ba1.weights, ba1.guarded, 8, kept, scratch);
    return kept;
  }();
  CHECK(ba1.weight(heaviest) == 45);
  CHECK(ba1.weight(ba1.whole(ba1.open(BlockAggregate::sum, 2))) >= 2.0 / 4 * 45);
}

TEST_CASE("BA-1: the best of K tokens in m blocks") {
  const BlockWeights blocks = ba1.by_block();
  CHECK(most_weight_of_tokens(blocks, 4, 2) == 22);
  CHECK(most_weight_of_tokens(blocks, 4, 3) == 29);
  CHECK(most_weight_of_tokens(blocks, 6, 2) == 28);
  CHECK(most_weight_of_tokens(blocks, 6, 3) == 34);
}

TEST_CASE("BA-1: A4 at the prices 5 and 3") {
  Mask open = ba1.none(), kept = ba1.none();
  SelectionScratch scratch;
  CHECK(keep_at_prices(ba1.tokens(), {5, 3}, open, kept, scratch) == 3);
  CHECK(set_bits(open, ba1.blocks()) == Tokens{0, 2});
  CHECK(set_bits(kept, 16) == Tokens{0, 8, 9});  // 10, 6 and 6: value 22 - 3 · 3 - 2 · 5 = 3
  // With the number of tokens given, a price for them is found.
  open = ba1.none();
  kept = ba1.none();
  keep_at_block_price(ba1.tokens(), 5, 3, open, kept, scratch);
  CHECK(set_bits(kept, 16) == Tokens{0, 8, 9});
}

// P1, P6 and the bounds of A4, on tables small enough for all choices.
TEST_CASE("block choices keep what they should and no more", "[property]") {
  Random random(11);
  for (int run = 0; run < static_cast<int>(scaled(400)); ++run) {
    const std::uint32_t b = 1 + random.below(4), blocks = 1 + random.below(6);
    const BlockTableOf table = random_table(random, b, blocks);
    const std::uint32_t m = 1 + random.below(blocks);
    INFO("run " << run << ": " << blocks << " blocks of " << b << ", " << m << " held");
    const std::uint32_t most = b * blocks;
    const std::vector<double> best = most_weight_by_moves(table.by_block(), b, m, most);
    const Mask whole = table.whole(table.open(BlockAggregate::sum, m));
    CHECK(table.weight(whole) == best[0]);  // P1
    double before = best[0];
    for (std::uint32_t x = 1; x <= most; ++x) {
      const double mine = table.swapped(whole, x);
      CHECK(mine <= best[x]);
      CHECK(mine >= before);
      before = mine;
    }
    CHECK(before == best[most]);  // the heaviest m · B tokens, wherever they stood

    const std::uint32_t keep = 1 + random.below(b * blocks);
    const double price = random.below(10);
    Mask open = table.none(), kept = table.none();
    SelectionScratch scratch;
    keep_at_block_price(table.tokens(), price, keep, open, kept, scratch);
    const auto held = static_cast<std::uint32_t>(bits::count(open));
    CHECK(bits::count(kept) <= keep);
    for (const std::uint32_t i : set_bits(kept, table.weights.size()))
      CHECK(bits::test(open, i / b));
    CHECK(table.weight(kept) <= most_weight_of_tokens(table.by_block(), keep, held));
  }
}

TEST_CASE("A4 is the best choice for its own number of tokens and blocks", "[property]") {
  Random random(12);
  for (int run = 0; run < static_cast<int>(scaled(400)); ++run) {
    const std::uint32_t b = 1 + random.below(4), blocks = 1 + random.below(6);
    const BlockTableOf table = random_table(random, b, blocks);
    const TwoPrices prices{double(random.below(12)), random.below(16) / 2.0};
    Mask open = table.none(), kept = table.none();
    SelectionScratch scratch;
    const std::size_t keep = keep_at_prices(table.tokens(), prices, open, kept, scratch);
    CHECK(keep == bits::count(kept));
    CHECK(table.weight(kept) ==
          most_weight_of_tokens(table.by_block(), static_cast<std::uint32_t>(keep),
                                static_cast<std::uint32_t>(bits::count(open))));
  }
}

// Both prices are searched by halving, and a search ends early where that changes nothing: here it
// never does.
TEST_CASE("A4 keeps what a search without short cuts keeps", "[property]") {
  const auto at_block_price = [](const BlockTableOf& table, double block_price, std::size_t keep,
                                 Mask& open, Mask& kept) {
    SelectionScratch scratch;
    const auto kept_at = [&](double price) {
      open = table.none();
      return keep_at_prices(table.tokens(), {block_price, price}, open, kept, scratch);
    };
    double low = 0, high = 0;
    for (const double weight : table.weights)
      high = std::max(high, weight);
    if (kept_at(low) <= keep) return;
    for (int i = 0; i < 60; ++i) {
      const double middle = low + (high - low) / 2;
      (kept_at(middle) > keep ? low : high) = middle;
    }
    kept_at(high);
  };
  Random random(13);
  for (int run = 0; run < static_cast<int>(scaled(400)); ++run) {
    const std::uint32_t b = 1 + random.below(4), blocks = 1 + random.below(6);
    BlockTableOf table = random_table(random, b, blocks);
    if (run % 2 == 0)
      for (double& weight : table.weights)
        weight += random.below(1000) / 7000.0;
    const std::size_t keep = 1 + random.below(b * blocks);
    const double price = 0.25 + random.below(40) / 4.0;
    Mask open = table.none(), kept = table.none(), plain_open = open, plain_kept = kept;
    SelectionScratch scratch;
    keep_at_block_price(table.tokens(), price, keep, open, kept, scratch);
    at_block_price(table, price, keep, plain_open, plain_kept);
    INFO("run " << run);
    CHECK(open == plain_open);
    // Behind the search the best other tokens of open blocks make up the number.
    for (std::size_t word = 0; word < kept.size(); ++word)
      CHECK((plain_kept[word] & ~kept[word]) == 0);
    std::size_t in_open = 0;
    for (std::size_t i = 0; i < table.weights.size(); ++i)
      in_open += bits::test(open, i / b);
    CHECK(bits::count(kept) == std::max(bits::count(plain_kept), std::min(keep, in_open)));
  }
}

// P7 is what any choice can do; prices cannot reach each number of blocks, and keep fewer then.
TEST_CASE("A4 within so many blocks and tokens, beside the exact optimum", "[property]") {
  Random random(14);
  double share = 0;
  constexpr int runs = static_cast<int>(scaled(400));
  for (int run = 0; run < runs; ++run) {
    const std::uint32_t b = 2 + random.below(3), blocks = 2 + random.below(6);
    BlockTableOf table = random_table(random, b, blocks);
    table.weights.front() += 1;
    const std::uint32_t keep = 1 + random.below(b * blocks), most = 1 + random.below(blocks);
    Mask open = table.none(), kept = table.none();
    SelectionScratch scratch;
    keep_in_blocks(table.tokens(), most, keep, open, kept, scratch);
    INFO("run " << run);
    CHECK(bits::count(open) <= most);
    CHECK(bits::count(kept) <= keep);
    const double best = most_weight_of_tokens(table.by_block(), keep, most);
    CHECK(table.weight(kept) <= best);
    share += table.weight(kept) / best / runs;
  }
  CHECK(share > 0.8);
}

TEST_CASE("A3 stops at its floor") {
  const Mask whole = ba1.whole(ba1.open(BlockAggregate::sum, 2));  // 28 of 47
  CHECK(ba1.swapped(whole, 100, 28.0 / 47) == 28);
  CHECK(ba1.swapped(whole, 100, 0.7) == 38);
  CHECK(ba1.swapped(whole, 100, 1) == 45);  // no more fits
}

TEST_CASE("guarded tokens and open blocks stay in every block choice") {
  BlockTableOf table = ba1;
  bits::set(table.guarded, 15);
  Mask open = table.none(), kept = table.none();
  SelectionScratch scratch;
  keep_at_prices(table.tokens(), {1000, 0}, open, kept, scratch);
  CHECK(set_bits(open, 4) == Tokens{3});
  CHECK(set_bits(kept, 16) == Tokens{12, 13, 14, 15});
  kept = table.whole(open);
  CHECK(swap_tokens(table.tokens(), 100, 2, kept, scratch) == 2);  // 6 would not gain on 7
  CHECK(set_bits(kept, 16) == Tokens{0, 8, 12, 15});
  open = table.none();
  bits::set(open, 0);
  open_best_blocks(table.tokens(), BlockAggregate::sum, 2, open, scratch);
  CHECK(set_bits(open, 4) == Tokens{0, 1});
}
