// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <numeric>

#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/shares.hpp"
#include "sim/eviction/window_scores.hpp"

namespace vacancy {

enum class HeadBlocks { table, ranked };

template <>
struct EnumNames<HeadBlocks> {
  static constexpr EnumName<HeadBlocks> table[] = {{HeadBlocks::table, "table"},
                                                   {HeadBlocks::ranked, "ranked"}};
};

namespace {

/// Of all heads' blocks together those whose scores sum up to most: the optimum for their mean
/// where nothing moves (spec block_aware P1, §4.5). The budget rounds up to whole blocks. Blocks
/// that hold a guarded token stay and count, and so does each set's newest block.
class RaggedBlocks final : public WindowPolicy {
 public:
  struct Options : WindowOptions {
    Options() : WindowOptions{32, 1, Pooling::avg} {}
    HeadBlocks blocks = HeadBlocks::table;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table = window_options<Options>().add(
        "blocks", &Options::blocks, "", {},
        "What stays or goes whole: the blocks of the table, so that nothing has to move, or as "
        "many tokens of a head at a time, the best first, which compaction then packs.");
    return table;
  }

  explicit RaggedBlocks(const Options& options)
      : WindowPolicy("ragged_blocks", options), ranked_(options.blocks == HeadBlocks::ranked) {}

  KeepRule keep_rule() const override { return KeepRule::ragged; }

  void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
             SelectionScratch& scratch) const override {
    score_all(*this, sets, scratch);
    JoinedValues sums(scratch);
    std::vector<std::uint32_t>& sure = scratch.order;  // tokens of each set that stay anyway
    sure.clear();
    std::size_t wanted = 0, taken = 0;
    for (const EvictionRound& set : sets) {
      wanted += blocks_of(set.keep, set.block_size);
      const Sure own = ranked_ ? add_ranked(set, sums, scratch) : add_blocks(set, sums, scratch);
      taken += own.blocks;
      sure.push_back(own.tokens);
    }
    sums.count_best(0, sets.size(), wanted - std::min(wanted, taken), shares, scratch);
    for (std::size_t set = 0; set < sets.size(); ++set)
      shares[set] = sure[set] + shares[set] * sets[set].block_size;
  }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    if (ranked_) return WindowPolicy::select(round, keep, scratch);
    keep_best_blocks(round, scores_of(*this, round, scratch), BlockAggregate::sum, keep, scratch);
  }

 private:
  struct Sure {
    std::uint32_t blocks = 0, tokens = 0;
  };

  /// Adds the sums of the table's blocks that may go.
  static Sure add_blocks(const EvictionRound& set, JoinedValues& sums, SelectionScratch& scratch) {
    const std::uint32_t b = set.block_size;
    const std::uint32_t newest =
        set.slots.empty() ? 0 : *std::max_element(set.slots.begin(), set.slots.end()) / b;
    std::vector<double>& worth = scratch.parts;
    worth.assign(newest + 1, 0.0);
    std::vector<std::uint64_t>&live = scratch.keys, &stays = scratch.marks;
    live.assign(bits::words(newest + 1), 0);
    stays.assign(live.size(), 0);
    bits::set(stays, newest);
    std::uint32_t in_newest = 0;
    for (std::size_t i = 0; i < set.live.size(); ++i) {
      const std::uint32_t block = set.slots[i] / b;
      in_newest += block == newest;
      bits::set(live, block);
      if (bits::test(set.guarded, i))
        bits::set(stays, block);
      else
        worth[block] += set.scores[i];
    }
    for (std::uint32_t block = 0; block < newest; ++block)
      if (bits::test(live, block) && !bits::test(stays, block)) sums.add(worth[block]);
    sums.end_set();
    // As many as keep_best_blocks() takes for that many blocks: all but the newest count as full.
    const auto blocks = static_cast<std::uint32_t>(bits::count(stays));
    return {blocks, in_newest + (blocks - 1) * b};
  }

  /// Adds the sums of the set's tokens that may go, B at a time, the best first, behind those that
  /// fill up the guarded tokens' blocks.
  static Sure add_ranked(const EvictionRound& set, JoinedValues& sums, SelectionScratch& scratch) {
    const std::uint32_t b = set.block_size, guarded = guarded_tokens(set);
    const std::span<double> scores = open_scores(set, scratch);
    std::sort(scores.begin(), scores.end(), std::greater<>());
    const std::uint32_t blocks = blocks_of(guarded, b);
    for (std::size_t i = blocks * b - guarded; i < scores.size(); i += b) {
      const auto group = scores.subspan(i, std::min<std::size_t>(b, scores.size() - i));
      sums.add(std::accumulate(group.begin(), group.end(), 0.0));
    }
    sums.end_set();
    return {blocks, blocks * b};
  }

  bool ranked_;
};

}  // namespace

PolicyEntry ragged_blocks_entry() {
  return prompt_entry_of<RaggedBlocks>(
      "ragged_blocks",
      "The best blocks of all heads together by the sum of what the last queries attend to.",
      "Vacancy's own");
}

}  // namespace vacancy
