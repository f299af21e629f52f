// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/window_scores.hpp"

namespace vacancy {
namespace {

/// The tokens that the last `window` queries attend to.
class SnapKv final : public WindowPolicy, public DefinesScores {
 public:
  static const OptionTable<WindowOptions>& option_table() {
    static const auto table = window_options<WindowOptions>();
    return table;
  }

  explicit SnapKv(const WindowOptions& options) : WindowPolicy("snapkv", options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return window_scores();
  }
};

}  // namespace

PolicyEntry snapkv_entry() {
  return prompt_entry_of<SnapKv>(
      "snapkv", "SnapKV: keeps what the last queries attend to, pooled, and the last tokens.",
      "arXiv 2404.14469; FasterDecoding/SnapKV");
}

}  // namespace vacancy
