// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/memory_policy.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {
namespace {

/// Tokens that pass a gate: how many stay depends on how uneven the attention is.
class TokenGating final : public MemoryPolicy {
 public:
  struct Options : MemoryOptions {
    Options() { memory = MemoryKind::per_age; }
    double threshold = 1.0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = with_memory_options(OptionTable<Options>())
                                  .add("threshold", &Options::threshold, "", {0, 1e6},
                                       "A token passes if its score exceeds so many times the mean "
                                       "over the tokens that may go. At least one token stays, and "
                                       "of those that pass no more than the budget, the best.");
    return table;
  }

  explicit TokenGating(const Options& options)
      : MemoryPolicy("eviction.token_gating", options), threshold_(options.threshold) {}

  KeepCount keep_count() const override { return KeepCount::fewer; }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    const std::span<const double> scores = scores_of(*this, round, scratch);
    const auto guarded = static_cast<std::uint32_t>(bits::count(round.guarded));
    double sum = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!bits::test(round.guarded, i)) sum += scores[i];
    const double bound = threshold_ * sum / static_cast<double>(scores.size() - guarded);
    std::uint32_t passing = 0;
    for (std::size_t i = 0; i < scores.size(); ++i)
      if (!bits::test(round.guarded, i) && scores[i] > bound) ++passing;
    const std::uint32_t least = guarded == 0 ? 1 : 0;
    keep_best(scores, round.guarded, std::min(round.keep, guarded + std::max(passing, least)), keep,
              scratch);
  }

 private:
  double threshold_;
};

}  // namespace

PolicyEntry token_gating_entry() {
  PolicyEntry entry = entry_of<TokenGating>(
      "token_gating",
      "Keeps the tokens whose attention passes a threshold, within the budget: a plain gate to "
      "compare with.",
      "ours");
  entry.scope = Scope::per_layer_per_head;
  return entry;
}

}  // namespace vacancy
