// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "sim/eviction/block_choice.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/memory_policy.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// A4 of spec block_aware §3: tokens and blocks both pay.
class TwoPrice final : public MemoryPolicy {
 public:
  struct Options : MemoryOptions {
    Options() { memory = MemoryKind::ema; }
    std::optional<std::uint32_t> recent;
    double block_price = 0.5;
    std::optional<std::uint32_t> blocks;
    bool fill = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        with_memory_options(OptionTable<Options>())
            .add("recent", &Options::recent, "tokens", {0, 1 << 24}, newest_tokens_help)
            .add("block_price", &Options::block_price, "mean kept scores", {0, 1e6},
                 "What a block must bring beyond its tokens' own price, in units of the mean score "
                 "of the tokens that would stay without it: 0 keeps the best tokens wherever they "
                 "are, much keeps whole blocks.")
            .add("blocks", &Options::blocks, "blocks", {1, 1u << 30},
                 "Instead of block_price: as many blocks stay at most, unless protected tokens "
                 "stand in more, and the price for it is searched, which takes up to 2,542 passes "
                 "over the tokens of a set where block_price takes up to 62.")
            .add("fill", &Options::fill, "", {},
                 "Whether all tokens of the blocks that stay are kept: it costs no memory, but "
                 "attention has more to read, and more tokens than the budget stay.");
    return table;
  }

  TwoPrice(const Options& options, const PolicyContext& context)
      : MemoryPolicy("eviction.two_price", options),
        options_(options),
        block_size_(context.block_size) {
    if (options.blocks && options.block_price != Options().block_price)
      throw UserError(
          "eviction.two_price.block_price contradicts eviction.two_price.blocks, for which it is "
          "searched. Remove one of them.");
  }

  Protection protection(std::uint32_t budget) const override {
    return newest_tokens(options_.recent, block_size_, budget);
  }
  KeepCount keep_count() const override {
    return options_.fill ? KeepCount::blocks : KeepCount::fewer;
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    const WeighedTokens tokens{scores_of(*this, round, scratch), round.slots, round.guarded,
                               round.block_size};
    std::vector<std::uint64_t>& open = scratch.marks;
    open_forced_blocks(round, open);
    if (options_.blocks)
      keep_in_blocks(tokens, *options_.blocks, round.keep, open, keep, scratch);
    else
      keep_at_block_price(tokens, options_.block_price * mean_of_best(round, tokens, scratch),
                          round.keep, open, keep, scratch);
    if (options_.fill) keep_open_blocks(tokens, open, keep);
  }

 private:
  /// The mean weight of what stays if blocks cost nothing, guarded tokens left out.
  static double mean_of_best(const EvictionRound& round, const WeighedTokens& tokens,
                             SelectionScratch& scratch) {
    std::vector<double>& weights = scratch.parts;
    weights.clear();
    std::size_t guarded = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (bits::test(round.guarded, i))
        ++guarded;
      else
        weights.push_back(tokens.weights[i]);
    }
    const std::size_t best = std::min<std::size_t>(round.keep - guarded, weights.size());
    if (best == 0) return 0;
    const auto end = weights.begin() + static_cast<std::ptrdiff_t>(best);
    std::partial_sort(weights.begin(), end, weights.end(), std::greater<>());
    return std::accumulate(weights.begin(), end, 0.0) / static_cast<double>(best);
  }

  Options options_;
  std::uint32_t block_size_;
};

}  // namespace

PolicyEntry two_price_entry() {
  return entry_of<TwoPrice>(
      "two_price",
      "Keeps the best tokens where a block pays for staying too: fewer blocks for the same number "
      "of tokens, without a move.",
      "Vacancy's own; algorithm A4 of docs/block_aware.md");
}

}  // namespace vacancy
