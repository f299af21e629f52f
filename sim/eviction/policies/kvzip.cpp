// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/shares.hpp"

namespace vacancy {
namespace {

/// What a model attends to while it repeats the text: the largest attention that a query of a
/// second reading pays to a token. Every cached token is read again, so that none is without a
/// score, and exactly as many stay as may, ties or not.
class KvZip final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t sinks = 4;
    bool layerwise = false;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("sinks", &Options::sinks, "tokens", {0, 1 << 24}, "First tokens that always stay.")
            .add("layerwise", &Options::layerwise, "", {},
                 "Every layer keeps the same in all, divided among its heads; otherwise all heads "
                 "of all layers compete. The budget says how much stays: 0.3 of the context is the "
                 "method's default. The context is read again as it is, in one piece and without "
                 "an instruction to repeat it (ours: the models here know none).");
    return table;
  }

  explicit KvZip(const Options& options) : options_(options) {}

  KeepRule keep_rule() const override { return KeepRule::ragged; }
  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.rereading = true;
    return needs;
  }
  Protection protection(std::uint32_t) const override { return {options_.sinks, 0}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    std::vector<double>& maxima = scratch.parts;
    maxima.resize(round.next_position);
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      round.attention->reread_maxima(layer, head, maxima);
      for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] += maxima[round.live[i]];
    });
  }

  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch& scratch) const override {
    score_all(*this, sets, scratch);
    JoinedValues scores(scratch);
    for (const EvictionRound& set : sets)
      scores.add_set(open_scores(set, scratch));
    if (!options_.layerwise) return share_by_score(sets, 0, sets.size(), scores, shares, scratch);
    for_each_layer_pool(sets, [&](std::size_t first, std::size_t last) {
      share_by_score(sets, first, last, scores, shares, scratch);
    });
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry kvzip_entry() {
  return prompt_entry_of<KvZip>(
      "kvzip",
      "KVzip: keeps what a model attends to while it repeats the text, whichever head it is in.",
      "arXiv 2505.23416; snu-mllab/KVzip");
}

}  // namespace vacancy
