// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/entries.hpp"

namespace vacancy {

void release_empty_entries(const BlockTable& table, TablePlan& plan) {
  const std::uint32_t full_entries = table.length() / table.block_size();
  table.for_each_entry(0, full_entries, [&](std::uint32_t entry) {
    if (table.live_pairs(entry) == 0) plan.release.push_back(entry);
  });
}

namespace {

class None final : public Reclaimer {
  void plan(const CachedSequence& sequence, const BlockPool&, ReclaimPlan& plan) const override {
    for (std::size_t i = 0; i < sequence.tables.size(); ++i)
      release_empty_entries(sequence.tables[i], plan.tables[i]);
  }
};

}  // namespace

ReclaimerEntry none_entry() {
  return {{"none",
           "No token moves: a block that became empty returns at once and leaves a null entry.",
           "vLLM's block table with freed sliding-window blocks works this way",
           {}},
          Movement::none,
          [](const ParameterValues&, SharedBlocks) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<None>();
          }};
}

}  // namespace vacancy
