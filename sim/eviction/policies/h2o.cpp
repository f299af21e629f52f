// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/attention_memory.hpp"
#include "sim/eviction/policies/entry_of.hpp"

namespace vacancy {
namespace {

struct Options {
  double recent_share = 0.5;
};

const OptionTable<Options>& option_table() {
  static const auto table = OptionTable<Options>().add(
      "recent_share", &Options::recent_share, "share", {0, 1},
      "Part of the budget that the last tokens fill; the rest goes to heavy hitters. Half, as in "
      "the paper's even split; the public class has fixed sizes, 512 recent and 4 heavy.");
  return table;
}

/// Heavy hitters by attention summed over all queries so far, never decayed, and the last tokens.
/// With recent_share 0 the scores of all tokens still count (the public mask variant clears none
/// then, its slice "last -0" being the whole row).
class H2o final : public EvictionPolicy {
 public:
  explicit H2o(Options options) : options_(options) {}

  PolicyNeeds needs() const override { return attention_memory_needs(); }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t) const override {
    return std::make_unique<AttentionMemory>(shape, MemoryOptions{});
  }

  Protection protection(std::uint32_t budget) const override {
    return {0, static_cast<std::uint32_t>(options_.recent_share * budget)};
  }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    score_by_attention_memory(round, scores);
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry h2o_entry() {
  PolicyEntry entry = entry_of<H2o, option_table>(
      "h2o", "H2O: keeps the last tokens and those with most accumulated attention.",
      "arXiv 2306.14048; FMInference/H2O");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
