// SPDX-License-Identifier: Apache-2.0
#include <limits>
#include <optional>

#include "sim/eviction/block_choice.hpp"
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/memory_policy.hpp"

namespace vacancy {
namespace {

/// A3 of spec block_aware §3: the best whole blocks, and the best tokens elsewhere instead of the
/// worst in them.
class Swap final : public MemoryPolicy {
 public:
  struct Options : MemoryOptions {
    Options() { memory = MemoryKind::ema; }
    std::optional<std::uint32_t> recent;
    BlockAggregate aggregate = BlockAggregate::sum;
    std::optional<std::uint32_t> swaps = 8;
    double floor = 1;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        with_memory_options(OptionTable<Options>())
            .add("recent", &Options::recent, "tokens", {0, 1 << 24}, newest_tokens_help)
            .add("aggregate", &Options::aggregate, "", {},
                 "How a block's worth follows from its tokens' scores.")
            .add("swaps", &Options::swaps, "tokens", {0, 1u << 30},
                 "Most tokens a round that come into the blocks that stay, each in the place of "
                 "one that scores less: a sixteenth of the interval is a good number. null: all "
                 "that gain. Set reclaim.kind to fullest_blocks, which moves just these.")
            .add("floor", &Options::floor, "share", {0, 1},
                 "Share of all scores with which the round is content: no more tokens are swapped "
                 "than it takes.");
    return table;
  }

  Swap(const Options& options, const PolicyContext& context)
      : MemoryPolicy("eviction.swap", options),
        options_(options),
        block_size_(context.block_size) {}

  Protection protection(std::uint32_t budget) const override {
    return newest_tokens(options_.recent, block_size_, budget);
  }
  KeepCount keep_count() const override { return KeepCount::blocks; }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    const std::span<const double> scores = scores_of(*this, round, scratch);
    keep_best_blocks(round, scores, options_.aggregate, keep, scratch);
    swap_tokens({scores, round.slots, round.guarded, round.block_size},
                options_.swaps.value_or(std::numeric_limits<std::uint32_t>::max()), options_.floor,
                keep, scratch);
  }

 private:
  Options options_;
  std::uint32_t block_size_;
};

}  // namespace

PolicyEntry swap_entry() {
  return entry_of<Swap>(
      "swap",
      "Keeps whole blocks, and moves a few of the best other tokens into the places of the worst "
      "in them.",
      "Vacancy's own; algorithm A3 of docs/block_aware.md");
}

}  // namespace vacancy
