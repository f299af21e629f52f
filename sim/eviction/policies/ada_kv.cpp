// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <functional>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/shares.hpp"
#include "sim/eviction/window_scores.hpp"

namespace vacancy {
namespace {

/// SnapKV's scores, and a layer's budget divided among its heads by them.
class AdaKv final : public WindowPolicy, public DefinesScores {
 public:
  struct Options : WindowOptions {
    Options() : WindowOptions{32, 7, Pooling::max} {}
    double alpha = 0.2;
    GroupRule group = GroupRule::mean;
    bool normalize = false;
    std::uint32_t skip = 0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        window_options<Options>()
            .add("alpha", &Options::alpha, "share", {0, 1},
                 "Part of its equal budget beside the window that each head is sure of; the rest "
                 "goes where a layer's highest scores are. Heads round to whole tokens, so that a "
                 "layer may keep up to half a token a head more or less.")
            .add("group", &Options::group, "", {},
                 "How the query heads of a KV head become one; the original without its switch for "
                 "grouped queries stores each query head instead.")
            .add("normalize", &Options::normalize, "", {},
                 "Weigh each head's scores, when heads are compared, by the share of them that its "
                 "own best tokens within the equal budget hold.")
            .add("skip", &Options::skip, "layers", {0, 1 << 16},
                 "First layers whose heads all keep the equal budget.");
    return table;
  }

  explicit AdaKv(const Options& options)
      : WindowPolicy("ada_kv", options, options.group), options_(options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return window_scores();
  }

  KeepRule keep_rule() const override { return KeepRule::ragged; }

  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch& scratch) const override {
    score_all(*this, sets, scratch);
    JoinedValues scores(scratch);
    for (const EvictionRound& set : sets) {
      const std::span<double> own = open_scores(set, scratch);
      if (options_.normalize) weigh(own, open_room(set), scratch.parts);
      scores.add_set(own);
    }
    for_each_layer_pool(sets, [&](std::size_t first, std::size_t last) {
      if (sets[first].heads().last_layer <= options_.skip) return;
      share_by_score(sets, first, last, scores, shares, scratch);
      for (std::size_t set = first; set < last; ++set) {
        const std::uint32_t guarded = guarded_tokens(sets[set]);
        const double sure = std::floor(open_room(sets[set]) * options_.alpha);
        const double own = (shares[set] - guarded) * (1 - options_.alpha);
        shares[set] = guarded + static_cast<std::uint32_t>(std::nearbyint(own + sure));
      }
    });
  }

 private:
  static void weigh(std::span<double> scores, std::size_t best, std::vector<double>& sorted) {
    if (best >= scores.size()) return;
    sorted.assign(scores.begin(), scores.end());
    std::sort(sorted.begin(), sorted.end(), std::greater<>());
    double top = 0, all = 0;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      all += sorted[i];
      if (i < best) top += sorted[i];
    }
    if (all <= 0) return;
    for (double& score : scores)
      score *= top / all;
  }

  Options options_;
};

}  // namespace

PolicyEntry ada_kv_entry() {
  return prompt_entry_of<AdaKv>(
      "ada_kv",
      "Ada-KV: what the last queries attend to, a layer's budget divided among its heads by "
      "their scores.",
      "arXiv 2407.11550; FFY0/AdaKV");
}

}  // namespace vacancy
