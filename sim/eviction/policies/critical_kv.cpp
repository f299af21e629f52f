// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <span>
#include <vector>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/eviction/window_scores.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

/// SnapKV's scores for one part of the budget, and for the rest the same weighed with |Wo v|_1, the
/// mean over a group's query heads.
class CriticalKv final : public WindowPolicy {
 public:
  struct Options : WindowOptions {
    double first_stage = 0.5;
    double epsilon = 1e-4;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        window_options<Options>()
            .add("first_stage", &Options::first_stage, "share", {0, 1},
                 "Part of the budget, rounded down, that goes by attention alone; the last tokens "
                 "count in it.")
            .add("epsilon", &Options::epsilon, "", {0, 1},
                 "Added to a token's mean attention before the rest of the budget goes by "
                 "attention times what the value adds to the layer's output.");
    return table;
  }

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
    if (tokens == 0) return;
    const std::uint32_t first_query = window_start(round, options_.window);
    const double rows =
        double(round.next_position - first_query) * round.attention->shape().group();
    scratch.spare.assign(3 * tokens, 0.0);
    const auto part = [&](std::size_t i) {
      return std::span(scratch.spare).subspan(i * tokens, tokens);
    };
    const auto attention = part(0), own = part(1);
    const auto norms = part(2).first(live_before(round, first_query));
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      std::fill(own.begin(), own.end(), 0.0);
      add_window_scores(round, layer, head, options_, GroupRule::mean, own, scratch);
      read_norms(round, layer, head, norms, scratch.parts);
      for (std::size_t i = 0; i < norms.size(); ++i) {
        attention[i] += own[i];
        sums[i] += (own[i] / rows + options_.epsilon) * norms[i];
      }
    });
    lift_first_stage(round, attention, scores, scratch);
  }

 private:
  /// norms[i]: that of live[i], the mean over the group's query heads.
  static void read_norms(const EvictionRound& round, std::uint32_t layer, std::uint32_t kv_head,
                         std::span<double> norms, std::vector<double>& buffer) {
    const std::uint32_t group = round.attention->shape().group();
    buffer.resize(norms.size());
    std::fill(norms.begin(), norms.end(), 0.0);
    for (std::uint32_t member = 0; member < group; ++member) {
      for (std::size_t i = 0, end = 0; i < norms.size(); i = end) {  // runs of positions
        for (end = i + 1; end < norms.size() && round.live[end] == round.live[end - 1] + 1; ++end) {
        }
        round.attention->output_norms(layer, kv_head * group + member, round.live[i],
                                      std::span(buffer).subspan(i, end - i));
      }
      for (std::size_t i = 0; i < norms.size(); ++i)
        norms[i] += buffer[i] / group;
    }
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
  return prompt_entry_of<CriticalKv>(
      "critical_kv",
      "CriticalKV: half of the budget by what the last queries attend to, the rest by that and by "
      "what a token's value adds to the layer's output; and the last tokens.",
      "arXiv 2502.03805; NVIDIA/kvpress criticalkv_press");
}

}  // namespace vacancy
