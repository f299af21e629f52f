// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policies/entry_of.hpp"
#include "sim/eviction/policies/whole_block_policy.hpp"

namespace vacancy {
namespace {

class BlockH2o final : public WholeBlockPolicy {
 public:
  struct Options : MemoryOptions {
    BlockAggregate aggregate = BlockAggregate::mean;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        with_memory_options(OptionTable<Options>())
            .add("aggregate", &Options::aggregate, "", {},
                 "How a block's worth follows from its tokens' scores. Under a reclaimer that "
                 "takes whole blocks its own aggregate rules instead.");
    return table;
  }

  explicit BlockH2o(const Options& options)
      : WholeBlockPolicy("eviction.block_h2o", options, options.aggregate) {}
};

}  // namespace

PolicyEntry block_h2o_entry() {
  return entry_of<BlockH2o>(
      "block_h2o", "Keeps whole blocks, those with most accumulated attention and the newest.",
      "ours, after H2O (arXiv 2306.14048)");
}

}  // namespace vacancy
