// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/shares.hpp"
#include "sim/eviction/window_scores.hpp"

namespace vacancy {
namespace {

/// SnapKV's scores, and budgets that fall linearly with the layer.
class PyramidKv final : public WindowPolicy, public DefinesScores {
 public:
  struct Options : WindowOptions {
    std::uint32_t beta = 20;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = window_options<Options>().add(
        "beta", &Options::beta, "", {1, 1 << 20},
        "Steepness: the last layer keeps about 1/beta of the budget beside the window, the first "
        "what is left of twice the budget. Shares are whole tokens by integer steps, as in the "
        "public code, so that layers together may keep up to half a token a layer and layer more "
        "than equal budgets would. A set that speaks for several layers keeps the budget (ours).");
    return table;
  }

  explicit PyramidKv(const Options& options)
      : WindowPolicy("pyramidkv", options), beta_(options.beta) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return window_scores();
  }

  KeepRule keep_rule() const override { return KeepRule::ragged; }

  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch&) const override {
    const auto longest = std::max_element(
        sets.begin(), sets.end(), [](auto& a, auto& b) { return a.live.size() < b.live.size(); });
    const std::uint32_t layers = longest->layout->layers();
    const std::uint32_t room = open_room(*longest);
    const auto tokens = static_cast<std::uint32_t>(longest->live.size());
    // A cache of less than twice the room is cut evenly.
    if (layers == 1 || tokens < 2 * std::uint64_t{room}) return;
    const std::uint32_t open = tokens - guarded_tokens(*longest);
    std::uint32_t most = 2 * room - room / beta_;
    std::uint32_t least = room / beta_;
    if (most >= open) {
      most = open;
      least = 2 * room - most;
    }
    const std::uint32_t step = (most - least) / (layers - 1);
    for (std::size_t set = 0; set < sets.size(); ++set) {
      const HeadRange heads = sets[set].heads();
      if (heads.last_layer - heads.first_layer == 1)
        shares[set] = guarded_tokens(sets[set]) + most - heads.first_layer * step;
    }
  }

 private:
  std::uint32_t beta_;
};

}  // namespace

PolicyEntry pyramidkv_entry() {
  return prompt_entry_of<PyramidKv>(
      "pyramidkv",
      "PyramidKV: what the last queries attend to, more of it in the first layers than in the "
      "last.",
      "arXiv 2406.02069; Zefan-Cai/KVCache-Factory");
}

}  // namespace vacancy
