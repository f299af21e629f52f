// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/entries.hpp"

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
    const auto entries = table.entries();
    std::uint32_t first_private = 0;
    for (std::uint32_t entry = 0; entry < entries.size(); ++entry)
      if (entries[entry] != null_block && pool.references(entries[entry]) > 1)
        first_private = entry + 1;

    std::uint32_t kept_before = 0;
    for (std::uint32_t entry = 0; entry < entries.size(); ++entry) {
      const bool null = entries[entry] == null_block;
      if (null || (entry < first_private && table.live_pairs(entry) == 0)) {
        plan.release.push_back(entry);
      } else if (entry < first_private) {
        ++kept_before;
      }
    }
    plan.shift = true;
    if (first_private < entries.size()) plan.pack_from = kept_before * table.block_size();
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
