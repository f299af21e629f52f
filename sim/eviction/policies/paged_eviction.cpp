// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/live_vectors.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/score_definition.hpp"
#include "sim/eviction/selection.hpp"

namespace vacancy {

enum class PromptCut { tokens, blocks };

template <>
struct EnumNames<PromptCut> {
  static constexpr EnumName<PromptCut> table[] = {{PromptCut::tokens, "tokens"},
                                                  {PromptCut::blocks, "blocks"}};
};

namespace {

/// Blocks by the mean of |v| / |k|, whole.
class PagedEviction final : public EvictionPolicy, public DefinesScores {
 public:
  struct Options {
    PromptCut prompt_cut = PromptCut::tokens;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = OptionTable<Options>().add(
        "prompt_cut", &Options::prompt_cut, "", {},
        "What goes in a round at the end of the prompt. The method drops tokens and writes only "
        "the others into blocks; here all are in blocks by then, and which blocks come back is up "
        "to the reclaimer (ours). Later rounds drop blocks: set eviction.interval to the block "
        "size, as the method evicts one block whenever the newest is full.");
    return table;
  }

  explicit PagedEviction(Options options) : options_(options) {}

  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    return NormRatioScores{};
  }
  std::optional<BlocksByScore> blocks_by_score() const override {
    return BlocksByScore{BlockAggregate::mean, options_.prompt_cut == PromptCut::tokens};
  }

  PolicyNeeds needs() const override {
    PolicyNeeds needs;
    needs.features.keys = true;
    needs.features.values = true;
    return needs;
  }

  KeepCount keep_count() const override { return KeepCount::blocks; }

  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch& scratch) const override {
    scratch.parts.resize(round.live.size());
    sum_joined_heads(round, scores, [&](std::uint32_t layer, std::uint32_t head, auto sums) {
      for_each_live_key(round, layer, head, scratch.vectors, [&](std::size_t i, auto key) {
        scratch.parts[i] = std::max(l2_norm(key), 1e-8);  // the floor is ours
      });
      for_each_live_value(round, layer, head, scratch.vectors, [&](std::size_t i, auto value) {
        sums[i] += l2_norm(value) / scratch.parts[i];
      });
    });
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    const std::span<const double> scores = scores_of(*this, round, scratch);
    const bool prompt_ends = round.next_position == round.prompt_tokens;
    if (prompt_ends && options_.prompt_cut == PromptCut::tokens)
      keep_best(scores, round.guarded, round.keep, keep, scratch);
    else
      keep_best_blocks(round, scores, BlockAggregate::mean, keep, scratch);
  }

 private:
  Options options_;
};

}  // namespace

PolicyEntry paged_eviction_entry() {
  return entry_of<PagedEviction>(
      "paged_eviction",
      "PagedEviction: keeps whole blocks, those whose values are longest beside their keys and the "
      "newest.",
      "arXiv 2509.04377");
}

}  // namespace vacancy
