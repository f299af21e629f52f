// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/memory_policy.hpp"
#include "sim/eviction/score_definition.hpp"

namespace vacancy {
namespace {

/// Heavy hitters by attention summed over all queries so far, never decayed, and the last tokens.
/// With recent_share 0 the scores of all tokens still count (the public mask variant clears none
/// then, its slice "last -0" being the whole row).
class H2o final : public MemoryPolicy, public DefinesScores {
 public:
  struct Options {
    double recent_share = 0.5;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = OptionTable<Options>().add(
        "recent_share", &Options::recent_share, "share", {0, 1},
        "Part of the budget that the last tokens fill; the rest goes to heavy hitters. Half, as in "
        "the paper's even split; the public class has fixed sizes, 512 recent and 4 heavy.");
    return table;
  }

  explicit H2o(const Options& options) : MemoryPolicy("eviction.h2o", {}), options_(options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return AccumulatedScores{{}};
  }
  Protection protection(std::uint32_t budget) const override {
    return {0, static_cast<std::uint32_t>(options_.recent_share * budget)};
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry h2o_entry() {
  PolicyEntry entry =
      entry_of<H2o>("h2o", "H2O: keeps the last tokens and those with most accumulated attention.",
                    "arXiv 2306.14048; FMInference/H2O");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
