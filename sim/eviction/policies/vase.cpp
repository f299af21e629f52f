// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/pooling.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/eviction/window_attention.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {
namespace {

/// Values of wide range, and a draw without replacement by the attention of the last queries.
///
/// With exponential variables E_i, the tokens of smallest E_i / w_i are such a draw with weights
/// w_i (Efraimidis and Spirakis, 2006): one number a token instead of one draw after another.
class Vase final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t recent = 64;
    std::uint32_t sinks = 4;
    std::uint32_t kernel = 5;
    double range_share = 0.25;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("recent", &Options::recent, "tokens", {1, 1 << 16},
                 "The last tokens, which always stay; attention of their queries gives the weights "
                 "of the draw. The method evicts when the length is a multiple of it: set "
                 "eviction.interval to the same.")
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24},
                 "First tokens of the sequence, the first among those of widest range.")
            .add("kernel", &Options::kernel, "tokens", {1, 4095},
                 "Odd width of the average over neighbouring tokens; 1 for none.")
            .add("range_share", &Options::range_share, "share", {0, 1},
                 "Part of the budget that sinks, otherwise protected tokens (ours) and the values "
                 "of widest range fill; the rest is drawn by attention. A quarter, as in the "
                 "released scripts; the public class has 200 tokens. Joined heads share one draw "
                 "by their summed weights (ours). Tokens without weight follow when all others are "
                 "drawn, the first ones first (ours).");
    return table;
  }

  Vase(const Options& options, const PolicyContext& context)
      : options_(options), key_(philox_key(context.seed)) {
    check_pooling_kernel("eviction.vase.kernel", options.kernel);
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.weights = true;
    needs.features.values = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, options_.recent}; }

  /// 2 for the widest ranges, and w / (w + E) in [0, 1) for the others.
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    const std::uint32_t first_query = window_start(round, options_.recent);
    const std::size_t candidates = live_before(round, first_query);
    add_draws(round, first_query, candidates, scores, scratch);
    mark_widest(round, candidates, scores, scratch);
  }

 private:
  void add_draws(const EvictionRound& round, std::uint32_t first_query, std::size_t candidates,
                 std::span<double> scores, SelectionScratch& scratch) const {
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      scratch.parts.assign(candidates, 0.0);
      add_window_attention(round, layer, head, first_query, candidates, scratch.parts,
                           scratch.vectors);
      add_pooled(scratch.parts, options_.kernel, Pooling::avg, sums.first(candidates));
    });
    const HeadRange heads = round.heads();
    scratch.draws.resize(candidates);
    philox_draws(key_, round.sequence.value(),
                 heads.first_layer * round.layout->kv_heads() + heads.first_head, round.number,
                 round.live.first(candidates), scratch.draws);
    for (std::size_t i = 0; i < candidates; ++i) {
      const double exponential = -portable_log((scratch.draws[i] + 0.5) * 0x1.0p-32);
      scores[i] /= scores[i] + exponential;
    }
  }

  void mark_widest(const EvictionRound& round, std::size_t candidates, std::span<double> scores,
                   SelectionScratch& scratch) const {
    const std::size_t guarded = bits::count(round.guarded);
    const std::size_t before = bits::count_range(round.guarded, 0, candidates);
    const auto share = static_cast<std::size_t>(options_.range_share * round.keep);
    const std::size_t wanted = std::min(share - std::min(share, before), round.keep - guarded);
    std::vector<double>& ranges = scratch.parts;
    ranges.resize(round.live.size());
    sum_joined_heads(round, ranges, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      for_each_live_value(round, layer, head, scratch.vectors, [&](std::size_t i, auto value) {
        const auto [low, high] = std::minmax_element(value.begin(), value.end());
        sums[i] += double{*high} - double{*low};
      });
    });
    std::vector<std::uint32_t>& open = scratch.order;
    open.clear();
    for (std::uint32_t i = 0; i < candidates; ++i)
      if (!bits::test(round.guarded, i)) open.push_back(i);
    const auto cut = open.begin() + static_cast<std::ptrdiff_t>(std::min(wanted, open.size()));
    std::nth_element(open.begin(), cut, open.end(), [&](std::uint32_t a, std::uint32_t b) {
      return ranges[a] != ranges[b] ? ranges[a] > ranges[b] : a < b;
    });
    for (auto i = open.begin(); i != cut; ++i)
      scores[*i] = 2;
  }

  Options options_;
  PhiloxKey key_;
};

}  // namespace

PolicyEntry vase_entry() {
  PolicyEntry entry = entry_of<Vase>(
      "vase",
      "VaSE: keeps values of wide range, a draw by the last queries' attention, and the last "
      "tokens.",
      "arXiv 2606.03928; terarachang/VaSE");
  entry.scope = Scope::per_layer_per_head;
  entry.trigger = TriggerKind::aligned;
  return entry;
}

}  // namespace vacancy
