// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/philox.hpp"

namespace vacancy {
namespace {

/// Every token, or aligned chunk of tokens, of every set gets a fresh uniform draw in every round.
class Random final : public EvictionPolicy {
 public:
  struct Options {
    std::uint32_t chunk_tokens = 1;
    std::uint32_t recent = 0;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("chunk_tokens", &Options::chunk_tokens, "tokens", {1, 1 << 20},
                 "Tokens that share one draw: aligned chunks of so many positions stay or go "
                 "together, the last one kept is cut so that the budget is met.")
            .add("recent", &Options::recent, "tokens", {0, 1 << 24},
                 "Last tokens that always stay. The paper's buffer has 64; 0 leaves a uniform "
                 "choice, for which closed formulas hold.");
    return table;
  }

  Random(const Options& options, const PolicyContext& context)
      : options_(options), key_(philox_key(context.seed)) {}

  Protection protection(std::uint32_t /*budget*/) const override { return {0, options_.recent}; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    draw(round, scratch);
    std::copy(scratch.draws.begin(), scratch.draws.end(), scores.begin());
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    draw(round, scratch);
    keep_best_draws(scratch.draws, round.guarded, round.keep, keep, scratch);
  }

 private:
  /// One draw a joined set: the counter names the first of its (layer, KV head) pairs.
  void draw(const EvictionRound& round, SelectionScratch& scratch) const {
    std::span<const std::uint32_t> words = round.live;
    if (options_.chunk_tokens > 1) {
      scratch.order.resize(round.live.size());
      for (std::size_t i = 0; i < round.live.size(); ++i)
        scratch.order[i] = round.live[i] - round.live[i] % options_.chunk_tokens;
      words = scratch.order;
    }
    scratch.draws.resize(words.size());
    const HeadRange heads = round.heads();
    philox_draws(key_, round.sequence.value(),
                 heads.first_layer * round.layout->kv_heads() + heads.first_head, round.number,
                 words, scratch.draws);
  }

  Options options_;
  PhiloxKey key_;
};

}  // namespace

PolicyEntry random_entry() {
  PolicyEntry entry = entry_of<Random>(
      "random", "Random Attention: keeps a uniform random choice, redrawn in every round.",
      "arXiv 2609.03430; SalesforceAIResearch/Random-Attention");
  entry.scope = Scope::per_layer_per_head;
  entry.prompt = PromptRule::pinned_inside;
  entry.trigger = TriggerKind::interval;
  return entry;
}

}  // namespace vacancy
