// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/eviction/window_scores.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

struct Options : WindowOptions {
  double first_stage = 0.5;
  double epsilon = 1e-4;
};

const OptionTable<Options>& option_table() {
  static const auto table =
      window_options<Options>()
          .add("first_stage", &Options::first_stage, "share", {0, 1},
               "Part of the budget, rounded down, that goes by attention alone; the last tokens "
               "count in it.")
          .add("epsilon", &Options::epsilon, "", {0, 1},
               "Added to a token's mean attention before the rest of the budget goes by attention "
               "times what the value adds to the layer's output.");
  return table;
}

/// SnapKV's scores for one part of the budget, and for the rest the same weighed with |Wo v|_1, the
/// mean over a group's query heads.
class CriticalKv final : public WindowPolicy {
 public:
  explicit CriticalKv(const Options& options)
      : WindowPolicy("critical_kv", options), options_(options) {}

  PolicyNeeds needs() const override {
    PolicyNeeds needs = WindowPolicy::needs();
    needs.features.output_norms = true;
    return needs;
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::size_t tokens = scores.size();
    const std::uint32_t first_query = window_start(round, options_.window);
    const std::uint32_t members = round.attention->shape().group();
    const double rows = double(round.next_position - first_query) * members;
    scratch.spare.assign(2 * tokens, 0.0);
    const auto attention = std::span(scratch.spare).first(tokens);
    const auto own = std::span(scratch.spare).subspan(tokens);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      std::fill(own.begin(), own.end(), 0.0);
      add_window_scores(round, layer, head, options_, GroupRule::mean, own, scratch);
      for (std::size_t i = 0; i < tokens; ++i) {
        attention[i] += own[i];
        sums[i] += (own[i] / rows + options_.epsilon) *
                   output_norm(*round.attention, layer, head, members, round.live[i]);
      }
    });
    lift_first_stage(round, attention, scores, scratch);
  }

 private:
  static double output_norm(const SequenceAttention& attention, std::uint32_t layer,
                            std::uint32_t kv_head, std::uint32_t members, std::uint32_t token) {
    double sum = 0;
    for (std::uint32_t member = 0; member < members; ++member) {
      double norm = 0;
      attention.output_norms(layer, kv_head * members + member, token, std::span(&norm, 1));
      sum += norm;
    }
    return sum / members;
  }

  /// Puts the tokens of the first stage above all others.
  void lift_first_stage(const EvictionRound& round, std::span<const double> attention,
                        std::span<double> scores, SelectionScratch& scratch) const {
    const auto guarded = static_cast<std::uint32_t>(bits::count(round.guarded));
    const auto first = static_cast<std::uint32_t>(round.keep * options_.first_stage);
    if (first <= guarded) return;
    scratch.keys.assign(bits::words(scores.size()), 0);
    keep_best(attention, round.guarded, first, scratch.keys, scratch);
    const double above = 1 + *std::max_element(scores.begin(), scores.end());
    bits::for_each(scratch.keys, 0, scores.size(), [&](std::size_t i) { scores[i] += above; });
  }

  Options options_;
};

}  // namespace

PolicyEntry critical_kv_entry() {
  return prompt_entry_of<CriticalKv, option_table>(
      "critical_kv",
      "CriticalKV: half of the budget by what the last queries attend to, the rest by that and by "
      "what a token's value adds to the layer's output; and the last tokens.",
      "arXiv 2502.03805; NVIDIA/kvpress criticalkv_press");
}

}  // namespace vacancy
