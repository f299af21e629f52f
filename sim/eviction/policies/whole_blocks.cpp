// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/whole_block_policy.hpp"
#include "sim/units/error.hpp"

namespace vacancy {
namespace {

class WholeBlocks final : public WholeBlockPolicy {
 public:
  struct Options : MemoryOptions {
    Options() { memory = MemoryKind::ema; }
    BlockAggregate aggregate = BlockAggregate::top4;
    std::uint32_t top_tokens = 4;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        with_memory_options(OptionTable<Options>())
            .add("aggregate", &Options::aggregate, "", {},
                 "How a block's worth follows from its tokens' scores: sum is the best choice if "
                 "the scores are what will be read, top4 suits long memories, max is on offer. "
                 "Under a reclaimer that takes whole blocks its own aggregate rules instead.")
            .add("top_tokens", &Options::top_tokens, "tokens", {1, 4096},
                 "For aggregate top4: how many of the largest scores count, if not four.");
    return table;
  }

  explicit WholeBlocks(const Options& options)
      : WholeBlockPolicy("eviction.whole_blocks", options,
                         {options.aggregate, options.top_tokens}) {
    if (options.aggregate != BlockAggregate::top4 && options.top_tokens != Options().top_tokens)
      throw UserError(
          "eviction.whole_blocks.top_tokens belongs to the aggregate top4. Set "
          "eviction.whole_blocks.aggregate to top4, or remove it.");
  }
};

}  // namespace

PolicyEntry whole_blocks_entry() {
  return entry_of<WholeBlocks>(
      "whole_blocks",
      "Keeps whole blocks, those with most attention in a memory that fades and the newest: they "
      "come back without a move.",
      "Vacancy's own; algorithm A1 of docs/block_aware.md");
}

}  // namespace vacancy
