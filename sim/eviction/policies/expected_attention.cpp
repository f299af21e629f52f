// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/query_statistics.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/softmax.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// Keys that queries like those so far will attend to: the expectation of exp(q·k / sqrt(d)) over
/// Gaussian queries at the next positions, by softmax.
///
/// With R the mean rotation, (R mu)·k = mu·(R^T k) and k^T (R S R^T) k = (R^T k)^T S (R^T k): keys
/// are turned back, and statistics stay as measured, before rotary embedding.
class ExpectedAttention final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t sinks = 4;
    std::uint32_t future = 512;
    bool covariance = true;
    bool value_norm = true;
    double epsilon = 0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens of the sequence, which always stay and whose queries do not count.")
            .add("future", &Options::future, "tokens", {1, 1 << 20},
                 "Next positions over which the rotary embedding is averaged. The queries behind "
                 "the statistics are all others so far, those of the output too (ours; the public "
                 "code takes the prompt's).")
            .add("covariance", &Options::covariance, "", {},
                 "Let the spread of the queries count beside their mean.")
            .add("value_norm", &Options::value_norm, "", {},
                 "Multiply a token's expected attention by the length of its value.")
            .add("epsilon", &Options::epsilon, "", {0, 1},
                 "Added to the expected attention before that.");
    return table;
  }

  ExpectedAttention(const Options& options, const PolicyContext& context)
      : options_(options), theta_(context.rope_theta), half_(context.half_rotary) {
    if (theta_ <= 0)
      throw UserError(
          "eviction.policy expected_attention turns queries to future positions, but the model has "
          "no rope_theta; add it to the model or choose another policy.");
    if (options.epsilon > 0 && !options.value_norm)
      throw UserError(
          "eviction.expected_attention.epsilon weighs lengths of values. Set "
          "eviction.expected_attention.value_norm to true, or remove it.");
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.queries = true;
    needs.features.values = options_.value_norm;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const AttentionShape& shape = round.attention->shape();
    const std::size_t tokens = round.live.size(), first = live_before(round, options_.sinks);
    if (first == tokens) return std::fill(scores.begin(), scores.end(), 0.0);
    const RotaryBands rotary(theta_, shape.head_dim, half_);
    BandTurns ahead;
    rotary.average(round.next_position, options_.future, ahead);
    QueryStatistics queries(rotary, shape.head_dim);
    scratch.parts.resize(3 * tokens + shape.head_dim);
    const auto attention = std::span(scratch.parts).first(tokens);
    const auto logits = std::span(scratch.parts).subspan(tokens, tokens);
    const auto lengths = std::span(scratch.parts).subspan(2 * tokens, tokens);
    const auto key = std::span(scratch.parts).last(shape.head_dim);
    const double d = shape.head_dim;
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      std::fill(attention.begin(), attention.end(), options_.epsilon);
      for (std::uint32_t q = head * shape.group(); q < (head + 1) * shape.group(); ++q) {
        queries.measure(*round.attention, layer, q, options_.sinks, round.next_position,
                        options_.covariance);
        for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto row) {
          rotary.turn_back(row, ahead, key);
          logits[i] = queries.mean_at(key) / std::sqrt(d) + queries.spread_at(key) / (2 * d);
        });
        to_softmax(logits.subspan(first));
        for (std::size_t i = first; i < tokens; ++i)
          attention[i] += logits[i] / shape.group();
      }
      std::fill(lengths.begin(), lengths.end(), 1.0);
      if (options_.value_norm)
        for_each_live_value(round, layer, head, scratch.vectors,
                            [&](std::size_t i, auto row) { lengths[i] = l2_norm(row); });
      for (std::size_t i = first; i < tokens; ++i)
        sums[i] += attention[i] * lengths[i];
    });
  }

 private:
  Options options_;
  double theta_;
  bool half_;
};

}  // namespace

PolicyEntry expected_attention_entry() {
  return prompt_entry_of<ExpectedAttention>(
      "expected_attention",
      "ExpectedAttention: keeps the keys that queries like those so far will attend to at the next "
      "positions.",
      "arXiv 2510.00636; NVIDIA/kvpress expected_attention_press");
}

}  // namespace vacancy
