// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/reclaim/entries.hpp"
#include "sim/reclaim/private_entries.hpp"

namespace vacancy {

namespace {

/// Slide-left in place (TriAttention's vLLM plugin, TensorRT-LLM): survivors move forward in
/// position order and the tail returns. Blocks that another table shares must not be written, so
/// packing starts behind the last shared entry (spec policies §5.1, §5.4); shared entries that
/// became empty are dropped.
class Slide final : public Reclaimer {
  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override {
    for (std::size_t i = 0; i < sequence.tables.size(); ++i)
      plan_table(sequence.tables[i], pool, plan.tables[i]);
  }

  static void plan_table(const BlockTable& table, const BlockPool& pool, TablePlan& plan) {
    const PrivateEntries own(table, pool);
    own.release_empty(plan);
    plan.shift = true;
    if (own.first() == table.entries().size()) return;
    const auto gone = std::ranges::lower_bound(plan.release, own.first()) - plan.release.begin();
    plan.pack_from = (own.first() - static_cast<std::uint32_t>(gone)) * table.block_size();
  }
};

}  // namespace

ReclaimerEntry slide_entry() {
  return {{"slide",
           "Survivors move forward in position order within their table, and the blocks behind "
           "them return.",
           "TriAttention vLLM plugin; TensorRT-LLM KV cache compression",
           {}},
          false,
          [](const ParameterValues&) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<Slide>();
          }};
}

}  // namespace vacancy
