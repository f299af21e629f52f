// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {
namespace {

/// What the last queries attend to, in a whole number of blocks.
class Zipage final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    std::uint32_t window = 32;
    double redundancy = 0.0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("window", &Options::window, "queries", {1, 1 << 16},
                 "The last queries, whose attention scores the tokens before them; these last "
                 "tokens always stay. 32 is ours. eviction.budget is a multiple of the block size, "
                 "a block less than a request may hold; a round comes when that block is full: set "
                 "eviction.interval to the block size.")
            .add("redundancy", &Options::redundancy, "share", {0, 1},
                 "Part of its attention that a token loses where a later key of its block is the "
                 "same; less in proportion to the largest cosine (ours).");
    return table;
  }

  Zipage(const Options& options, const PolicyContext& context) : options_(options) {
    if (context.block_size == 0 || context.budget % context.block_size == 0) return;
    throw UserError("eviction.budget is " + counted(context.budget, "token") +
                    "; the policy zipage compresses into whole blocks, so take a multiple "
                    "of cache.block_size, " +
                    format_count(context.block_size) + ".");
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    needs.features.keys = options_.redundancy > 0;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {0, options_.window}; }
  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    if (options_.redundancy > 0) return std::nullopt;
    return WindowScores{.options = {options_.window, 1, Pooling::avg}};
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::uint32_t first_query = window_start(round, options_.window);
    const std::size_t candidates = live_before(round, first_query);
    scratch.parts.resize(2 * round.live.size());
    const auto attention = std::span(scratch.parts).first(candidates);
    const auto repeated = std::span(scratch.parts).last(round.live.size());
    if (options_.redundancy > 0) order_by_block(round, scratch.order);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      std::fill(attention.begin(), attention.end(), 0.0);
      add_window_attention(round, layer, head, first_query, round.live.size(), attention,
                           scratch.vectors);
      std::fill(repeated.begin(), repeated.end(), 0.0);
      if (options_.redundancy > 0) find_repeated(round, layer, head, repeated, scratch);
      for (std::size_t i = 0; i < candidates; ++i)
        sums[i] += attention[i] * (1 - options_.redundancy * repeated[i]);
    });
  }

 private:
  static std::uint32_t block_of(const EvictionRound& round, std::size_t i) {
    return round.slots[i] / round.block_size;
  }

  /// Ordinals block by block, by position within.
  static void order_by_block(const EvictionRound& round, std::vector<std::uint32_t>& order) {
    order.resize(round.live.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
      return block_of(round, a) < block_of(round, b);
    });
  }

  /// repeated[i]: the largest cosine of live[i] to a later key of its block, at least 0.
  static void find_repeated(const EvictionRound& round, std::uint32_t layer, std::uint32_t head,
                            std::span<double> repeated, SelectionScratch& scratch) {
    const std::size_t dim = round.attention->shape().head_dim;
    scratch.rows.resize(round.live.size() * dim);
    for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
      std::copy(key.begin(), key.end(),
                scratch.rows.begin() + static_cast<std::ptrdiff_t>(i * dim));
    });
    const auto key = [&](std::size_t i) {
      return std::span<const float>(scratch.rows).subspan(i * dim, dim);
    };
    const std::vector<std::uint32_t>& order = scratch.order;
    for (std::size_t n = 0; n < order.size(); ++n) {
      const auto mine = key(order[n]);
      for (std::size_t m = n + 1;
           m < order.size() && block_of(round, order[m]) == block_of(round, order[n]); ++m) {
        const auto other = key(order[m]);
        double dot = 0;
        for (std::size_t c = 0; c < dim; ++c)
          dot += double{mine[c]} * double{other[c]};
        const double norms = std::max(l2_norm(mine) * l2_norm(other), 1e-8);
        repeated[order[n]] = std::max(repeated[order[n]], dot / norms);
      }
    }
  }

  Options options_;
};

}  // namespace

PolicyEntry zipage_entry() {
  PolicyEntry entry = entry_of<Zipage>(
      "zipage",
      "Zipage: keeps what the last queries attend to whenever a request's last block is full, a "
      "block less.",
      "arXiv 2603.08743");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
