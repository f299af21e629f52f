// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include "sim/prefix/replacement/keyed_policy.hpp"
#include "sim/prefix/replacement/policies/entry_of.hpp"

namespace vacancy {
namespace {

/// Key: H = L + uses x cost, where L is the H of the last block evicted: what was not used while
/// prices around it rose goes too. Blocks have one size.
class CostAware final : public KeyedPolicy {
 public:
  struct Options {
    std::uint32_t block_cost = 1000;
    std::uint32_t position_cost = 17;
    bool frequency = true;
  };

  static const OptionTable<Options>& option_table() {
    static const auto table =
        OptionTable<Options>()
            .add("block_cost", &Options::block_cost, "", {1, 1 << 20},
                 "Price of computing a block without context, in any unit, where the run brings no "
                 "price of its own.")
            .add("position_cost", &Options::position_cost, "", {0, 1 << 20},
                 "Price added for each block before it, in the same unit: attention over them. 17 "
                 "to 1000 is Llama-3.1-8B at 512 tokens a block (4 x 32 layers x 32 heads x 128 "
                 "FLOP a token of context, 16 GFLOP a token without).")
            .add("frequency", &Options::frequency, "", {},
                 "Whether the price counts once for each use since insertion "
                 "(GreedyDual-Size-Frequency) or once (GreedyDual).");
    return table;
  }

  CostAware(Options options, std::uint32_t entries)
      : KeyedPolicy(entries), options_(options), uses_(entries) {}

  void inserted(EntryId entry, const BlockAccess& access) override {
    uses_[entry.value()] = 1;
    place(entry, worth(entry, access));
  }
  void hit(EntryId entry, const BlockAccess& access) override {
    if (options_.frequency) ++uses_[entry.value()];
    move(entry, worth(entry, access));
  }
  void removed(EntryId entry, Removal how) override {
    if (how == Removal::evicted) inflation_ = std::max(inflation_, key(entry).rank);
    KeyedPolicy::removed(entry, how);
  }

 private:
  ReplacementKey worth(EntryId entry, const BlockAccess& access) {
    const std::uint64_t own =
        options_.block_cost + std::uint64_t{options_.position_cost} * access.position;
    const std::uint64_t cost = access.cost > 0 ? access.cost : own;
    const std::uint64_t room = std::numeric_limits<std::uint64_t>::max() - inflation_;
    const std::uint64_t uses = std::min(uses_[entry.value()], room / cost);  // no overflow
    return {inflation_ + uses * cost, tick()};
  }

  Options options_;
  std::vector<std::uint64_t> uses_;
  std::uint64_t inflation_ = 0;
};

}  // namespace

ReplacementEntry cost_aware_entry() {
  return entry_of<CostAware>(
      "cost_aware",
      "GreedyDual: evicts the block that is cheapest to compute again, times its uses; blocks age "
      "as others are evicted.",
      "Young, Algorithmica 11, 1994 (GreedyDual); Cao, Irani, USITS 1997; Cherkasova, HPL-98-69R1, "
      "1998 (frequency). The price by position is ours");
}

}  // namespace vacancy
