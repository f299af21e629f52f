// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/softmax.hpp"
#include "sim/eviction/window_attention.hpp"

namespace vacancy {
namespace {

/// Ranks inside partitions of `lag` cached tokens, by K and V relative to the next partition.
///
/// A channel without a range in the next partition says nothing and counts as 0 (ours; the public
/// code divides by zero).
class LagKv final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    std::uint32_t sinks = 4;
    std::uint32_t lag = 128;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens of the sequence that always stay.")
            .add("lag", &Options::lag, "tokens", {1, 1 << 16},
                 "Tokens of a partition, scored by how they vary within the ranges of the next "
                 "one. The last full partition and what follows it score best, and where even "
                 "these exceed the budget their first tokens stay (ours).");
    return table;
  }

  explicit LagKv(Options options) : options_(options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return LagRankScores{options_.sinks, options_.lag};
  }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.values = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::size_t lag = options_.lag, sinks = live_before(round, options_.sinks);
    const std::size_t others = round.live.size() - sinks;
    if (others < 2 * lag) {  // recency
      std::iota(scores.begin(), scores.end(), 0.0);
      return;
    }
    const std::size_t scored = (others / lag - 1) * lag;
    const std::size_t dim = round.attention->shape().head_dim;
    scratch.rows.resize(round.live.size() * dim);
    const auto store = [&](std::size_t i, auto row) {
      std::copy(row.begin(), row.end(),
                scratch.rows.begin() + static_cast<std::ptrdiff_t>(i * dim));
    };
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      scratch.parts.assign(scored + lag + 3 * dim, 0.0);
      const auto parts = std::span(scratch.parts).first(scored);
      const auto spare = std::span(scratch.parts).subspan(scored);
      const auto rows = std::span<const float>(scratch.rows).subspan(sinks * dim);
      for_each_live_key(round, layer, head, scratch.vectors, store);
      add_shares(rows, dim, parts, spare);
      for_each_live_value(round, layer, head, scratch.vectors, store);
      add_shares(rows, dim, parts, spare);

      add_ranks(parts, sums.subspan(sinks, scored), scratch.order);
      for (std::size_t i = 0; i < sums.size(); ++i)
        if (i < sinks || i >= sinks + scored) sums[i] += 1;
    });
  }

 private:
  /// Adds to parts[i] the softmax, inside its partition, of the deviation of row i over channels.
  void add_shares(std::span<const float> rows, std::size_t dim, std::span<double> parts,
                  std::span<double> spare) const {
    const std::size_t lag = options_.lag;
    const auto deviations = spare.first(lag), low = spare.subspan(lag, dim),
               high = spare.subspan(lag + dim, dim), row = spare.subspan(lag + 2 * dim, dim);
    for (std::size_t first = 0; first < parts.size(); first += lag) {
      std::fill(low.begin(), low.end(), std::numeric_limits<double>::infinity());
      std::fill(high.begin(), high.end(), -std::numeric_limits<double>::infinity());
      for (std::size_t i = first + lag; i < first + 2 * lag; ++i)
        for (std::size_t c = 0; c < dim; ++c) {
          low[c] = std::min(low[c], double{rows[i * dim + c]});
          high[c] = std::max(high[c], double{rows[i * dim + c]});
        }
      for (std::size_t i = 0; i < lag; ++i) {
        for (std::size_t c = 0; c < dim; ++c) {
          const double range = high[c] - low[c];
          row[c] = range > 0 ? (double{rows[(first + i) * dim + c]} - low[c]) / range : 0.0;
        }
        deviations[i] = deviation(row);
      }
      to_softmax(deviations);
      for (std::size_t i = 0; i < lag; ++i)
        parts[first + i] += deviations[i];
    }
  }

  /// Standard deviation, unbiased; 0 for a single channel.
  static double deviation(std::span<const double> row) {
    if (row.size() < 2) return 0;
    const auto n = static_cast<double>(row.size());
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / n;
    double squares = 0;
    for (const double x : row)
      squares += (x - mean) * (x - mean);
    return std::sqrt(squares / (n - 1));
  }

  /// Adds rank / lag inside each partition; of equal parts the first token has the highest rank.
  void add_ranks(std::span<const double> parts, std::span<double> sums,
                 std::vector<std::uint32_t>& order) const {
    const std::size_t lag = options_.lag;
    order.resize(lag);
    for (std::size_t first = 0; first < parts.size(); first += lag) {
      const auto part = parts.subspan(first, lag);
      std::iota(order.begin(), order.end(), 0u);
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return part[a] != part[b] ? part[a] < part[b] : a > b;
      });
      for (std::size_t rank = 0; rank < lag; ++rank)
        sums[first + order[rank]] += static_cast<double>(rank) / static_cast<double>(lag);
    }
  }

  Options options_;
};

}  // namespace

PolicyEntry lagkv_entry() {
  return prompt_entry_of<LagKv>(
      "lagkv",
      "LagKV: keeps the tokens of each partition whose keys and values vary most by the measure of "
      "the next partition.",
      "arXiv 2504.04704; NVIDIA/kvpress lagkv_press");
}

}  // namespace vacancy
