// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/entries.hpp"

namespace vacancy {

namespace {

/// Data stays where it is; the table closes the gaps, so kept blocks are full and slots below the
/// table's end are live (spec policies §5.3).
class WholeBlock final : public Reclaimer {
  void plan(const CachedSequence& sequence, const BlockPool&, ReclaimPlan& plan) const override {
    for (std::size_t i = 0; i < sequence.tables.size(); ++i) {
      release_empty_entries(sequence.tables[i], plan.tables[i]);
      plan.tables[i].shift = true;
    }
  }
};

}  // namespace

ReclaimerEntry whole_block_entry() {
  return {{"whole_block",
           "Whole blocks are kept or dropped by the policy's scores aggregated per block, the "
           "newest always kept; table entries leave, no token moves.",
           "PagedEviction, arXiv 2509.04377; OpenVINO GenAI cache eviction",
           {}},
          Movement::whole_blocks,
          [](const ParameterValues&, SharedBlocks) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<WholeBlock>();
          }};
}

}  // namespace vacancy
