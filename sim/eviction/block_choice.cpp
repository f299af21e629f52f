// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/block_choice.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// Worth of every block, in `scratch.parts`, and live tokens of it, in `scratch.draws`.
class BlockWorth {
 public:
  BlockWorth(BlockValue value, std::size_t blocks, SelectionScratch& scratch)
      : aggregate_(value.kind),
        width_(value.kind == BlockAggregate::top4 ? value.top : 1),
        worth_(scratch.parts),
        count_(scratch.draws) {
    const bool largest = aggregate_ == BlockAggregate::max || aggregate_ == BlockAggregate::top4;
    worth_.assign(blocks * width_, largest ? none : 0.0);
    count_.assign(blocks, 0);
  }

  void add(std::size_t block, double weight) {
    double* worth = worth_.data() + block * width_;
    ++count_[block];
    switch (aggregate_) {
      case BlockAggregate::sum:
      case BlockAggregate::mean:
        *worth += weight;
        break;
      case BlockAggregate::max:
        *worth = std::max(*worth, weight);
        break;
      case BlockAggregate::top4:  // descending; the new weight sinks to its place
        for (std::size_t i = 0; i < width_; ++i)
          if (weight > worth[i]) std::swap(weight, worth[i]);
        break;
    }
  }

  bool live(std::size_t block) const { return count_[block] != 0; }

  /// One value a block, at the front of `scratch.parts`.
  std::span<const double> finish() {
    for (std::size_t block = 0; block < count_.size(); ++block) {
      double value = worth_[block * width_];
      if (!live(block)) {
        value = none;
      } else if (aggregate_ == BlockAggregate::mean) {
        value /= count_[block];
      } else if (aggregate_ == BlockAggregate::top4) {
        for (std::size_t i = 1; i < std::min<std::size_t>(count_[block], width_); ++i)
          value += worth_[block * width_ + i];
      }
      worth_[block] = value;
    }
    return std::span(worth_).first(count_.size());
  }

 private:
  static constexpr double none = -std::numeric_limits<double>::infinity();

  BlockAggregate aggregate_;
  std::size_t width_;
  std::vector<double>& worth_;
  std::vector<std::uint32_t>& count_;
};

std::size_t blocks_spanned_by(const WeighedTokens& tokens) {
  return tokens.slots.empty() ? 0 : table_blocks(tokens.slots, tokens.block_size);
}

/// How many tokens keep_at_prices() keeps, for many prices: blocks and guards are looked up once.
class PriceTrials {
 public:
  /// Takes `joined`, `order`, `parts` and `draws` of the scratch.
  PriceTrials(const WeighedTokens& tokens, std::span<const std::uint64_t> open,
              SelectionScratch& scratch)
      : weights_(scratch.joined),
        block_(scratch.order),
        worth_(scratch.parts),
        above_(scratch.draws),
        open_(scratch.keys) {
    weights_.assign(tokens.weights.begin(), tokens.weights.end());
    block_.resize(tokens.size());
    open_.assign(open.begin(), open.end());
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      block_[i] = tokens.block_of(i);
      blocks_ = std::max<std::size_t>(blocks_, block_[i] + std::size_t{1});
      if (!bits::test(tokens.guarded, i)) continue;
      ++guarded_;
      weights_[i] = -std::numeric_limits<double>::infinity();  // worth nothing beyond any price
      bits::set(open_, block_[i]);
    }
  }

  std::size_t kept_at(TwoPrices prices) const {
    worth_.assign(blocks_, 0.0);
    above_.assign(blocks_, 0);
    for (std::size_t i = 0; i < block_.size(); ++i) {
      worth_[block_[i]] += std::max(weights_[i] - prices.token, 0.0);
      above_[block_[i]] += weights_[i] > prices.token;
    }
    std::size_t count = guarded_;
    for (std::size_t block = 0; block < blocks_; ++block)
      if (worth_[block] > prices.block || bits::test(open_, block)) count += above_[block];
    return count;
  }

 private:
  std::vector<double>& weights_;
  std::vector<std::uint32_t>& block_;
  std::vector<double>& worth_;
  std::vector<std::uint32_t>& above_;
  std::vector<std::uint64_t>& open_;
  std::size_t blocks_ = 0, guarded_ = 0;
};

}  // namespace

std::size_t table_blocks(std::span<const std::uint32_t> slots, std::uint32_t block_size) {
  return *std::max_element(slots.begin(), slots.end()) / std::size_t{block_size} + 1;
}

void list_closed_blocks(std::span<const std::uint32_t> slots, std::uint32_t block_size,
                        std::span<const std::uint64_t> open, std::vector<std::uint32_t>& blocks) {
  blocks.clear();
  for (const std::uint32_t slot : slots)
    if (!bits::test(open, slot / block_size)) blocks.push_back(slot / block_size);
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
}

void open_best_blocks(const WeighedTokens& tokens, BlockValue value, std::size_t count,
                      std::span<std::uint64_t> open, SelectionScratch& scratch) {
  const std::size_t blocks = blocks_spanned_by(tokens);
  BlockWorth worth_of(value, blocks, scratch);
  bool ordered = true;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool guarded = bits::test(tokens.guarded, i);
    ordered &= guarded || tokens.weights[i] == tokens.weights[i];
    worth_of.add(tokens.block_of(i), guarded ? 0.0 : tokens.weights[i]);
  }
  VACANCY_ASSERT(ordered, "a weight is a number");
  const std::span<const double> worth = worth_of.finish();

  std::vector<std::uint32_t>& others = scratch.order;
  others.clear();
  for (std::uint32_t block = 0; block < blocks; ++block)
    if (worth_of.live(block) && !bits::test(open, block)) others.push_back(block);
  const std::size_t more = count - std::min(count, bits::count(open));
  if (more < others.size())
    std::nth_element(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(more),
                     others.end(), [&](std::uint32_t a, std::uint32_t b) {
                       return worth[a] != worth[b] ? worth[a] > worth[b] : a < b;
                     });
  for (std::size_t i = 0; i < std::min(more, others.size()); ++i)
    bits::set(open, others[i]);
}

void keep_open_blocks(const WeighedTokens& tokens, std::span<const std::uint64_t> open,
                      std::span<std::uint64_t> kept) {
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (bits::test(open, tokens.block_of(i))) bits::set(kept, i);
}

std::uint32_t swap_tokens(const WeighedTokens& tokens, std::uint32_t most, double floor,
                          std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  std::vector<std::uint32_t>&worst = scratch.order, &best = scratch.draws;
  worst.clear();
  best.clear();
  double all = 0, mass = 0;
  for (std::uint32_t i = 0; i < tokens.size(); ++i) {
    all += tokens.weights[i];
    if (!bits::test(kept, i)) {
      best.push_back(i);
      continue;
    }
    mass += tokens.weights[i];
    if (!bits::test(tokens.guarded, i)) worst.push_back(i);
  }
  const auto before = [&](std::uint32_t a, std::uint32_t b) {
    return tokens.weights[a] != tokens.weights[b] ? tokens.weights[a] > tokens.weights[b] : a < b;
  };
  std::sort(best.begin(), best.end(), before);
  std::sort(worst.begin(), worst.end(), [&](auto a, auto b) { return before(b, a); });
  const std::size_t pairs = std::min<std::size_t>({most, best.size(), worst.size()});
  std::uint32_t swapped = 0;
  for (; swapped < pairs && mass < floor * all; ++swapped) {
    const double gain = tokens.weights[best[swapped]] - tokens.weights[worst[swapped]];
    if (gain <= 0) break;
    mass += gain;
    bits::clear(kept, worst[swapped]);
    bits::set(kept, best[swapped]);
  }
  return swapped;
}

std::size_t keep_at_prices(const WeighedTokens& tokens, TwoPrices prices,
                           std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                           SelectionScratch& scratch) {
  std::vector<double>& worth = scratch.parts;
  worth.assign(blocks_spanned_by(tokens), 0.0);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    if (bits::test(tokens.guarded, i))
      bits::set(open, tokens.block_of(i));
    else
      worth[tokens.block_of(i)] += std::max(tokens.weights[i] - prices.token, 0.0);
  }
  for (std::size_t block = 0; block < worth.size(); ++block)
    if (worth[block] > prices.block) bits::set(open, block);
  std::size_t count = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool stays = bits::test(tokens.guarded, i) ||
                       (tokens.weights[i] > prices.token && bits::test(open, tokens.block_of(i)));
    bits::assign(kept, i, stays);
    count += stays;
  }
  return count;
}

void keep_at_block_price(const WeighedTokens& tokens, double block_price, std::size_t keep,
                         std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                         SelectionScratch& scratch) {
  if (block_price == 0) {  // open at will
    keep_best(tokens.weights, tokens.guarded, static_cast<std::uint32_t>(keep), kept, scratch);
    bits::for_each(kept, 0, tokens.size(),
                   [&](std::size_t i) { bits::set(open, tokens.block_of(i)); });
    return;
  }
  const PriceTrials trials(tokens, open, scratch);
  // Fewer tokens stay at a higher price. At no token's worth all that can pay for blocks stay.
  double low = 0, high = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (!bits::test(tokens.guarded, i)) high = std::max(high, tokens.weights[i]);
  constexpr int halvings = 60;  // beyond the bits of a weight
  double price = low;
  if (std::size_t now = trials.kept_at({block_price, low}); now > keep) {
    // Rounded sums fall with the price too. Once the number is met, no lower price with that number
    // keeps others: a block that opens brings a token.
    for (int i = 0; i < halvings && now != keep; ++i) {
      const double middle = low + (high - low) / 2;
      now = trials.kept_at({block_price, middle});
      (now > keep ? low : high) = middle;
    }
    price = high;
  }
  keep_at_prices(tokens, {block_price, price}, open, kept, scratch);

  std::vector<std::uint32_t>& others = scratch.order;
  others.clear();
  for (std::uint32_t i = 0; i < tokens.size(); ++i)
    if (!bits::test(kept, i) && bits::test(open, tokens.block_of(i))) others.push_back(i);
  const std::size_t missing = std::min(keep - std::min(keep, bits::count(kept)), others.size());
  const auto end = others.begin() + static_cast<std::ptrdiff_t>(missing);
  if (end != others.end())
    std::nth_element(others.begin(), end, others.end(), [&](std::uint32_t a, std::uint32_t b) {
      return tokens.weights[a] != tokens.weights[b] ? tokens.weights[a] > tokens.weights[b] : a < b;
    });
  std::for_each(others.begin(), end, [&](std::uint32_t i) { bits::set(kept, i); });
}

void keep_in_blocks(const WeighedTokens& tokens, std::size_t most_blocks, std::size_t keep,
                    std::span<std::uint64_t> open, std::span<std::uint64_t> kept,
                    SelectionScratch& scratch) {
  scratch.forced.assign(open.begin(), open.end());
  const auto blocks_at = [&](double price) {
    std::copy(scratch.forced.begin(), scratch.forced.end(), open.begin());
    std::fill(kept.begin(), kept.end(), 0);
    keep_at_block_price(tokens, price, keep, open, kept, scratch);
    return bits::count(open);
  };
  if (blocks_at(0) <= most_blocks) return;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i)
    if (!bits::test(tokens.guarded, i)) high += std::max(tokens.weights[i], 0.0);
  // A price of all weight opens nothing; 40 halvings tell blocks apart whose worth differs by
  // 1e-12 of it.
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    (blocks_at(middle) > most_blocks ? low : high) = middle;
  }
  blocks_at(high);
}

}  // namespace vacancy
