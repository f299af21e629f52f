// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/reclaim/compactable.hpp"
#include "sim/reclaim/entries.hpp"

namespace vacancy {

namespace {

/// Survivors move forward in position order, in place (TriAttention's vLLM plugin, TensorRT-LLM;
/// spec policies §5.1), or into fresh blocks where a block that this would change is shared
/// (Zipage, §5.4). Shared entries that became empty are dropped.
class Slide final : public Reclaimer {
 public:
  explicit Slide(SharedBlocks shared, WhenFull when_full = WhenFull::postpone)
      : shared_(shared), when_full_(when_full) {}

  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override {
    for (std::size_t i = 0; i < sequence.tables.size(); ++i) {
      plan_table(sequence.tables[i], pool, plan.tables[i], plan.refused);
      if (plan.tables[i].fresh_blocks > 0) plan.cause = MoveCause::copy_out;
    }
  }
  bool may_decline() const override { return shared_ != SharedBlocks::suffix; }
  WhenFull when_full() const override { return when_full_; }

 private:
  void plan_table(const BlockTable& table, const BlockPool& pool, TablePlan& plan,
                  bool& refused) const {
    const Compactable part(table, pool, shared_);
    part.release_empty(plan);
    plan.shift = true;
    const auto changed = part.changed();
    if (changed.empty()) return;
    const auto gone =
        std::ranges::lower_bound(plan.release, changed.front()) - plan.release.begin();
    plan.pack_from = (changed.front() - static_cast<std::uint32_t>(gone)) * table.block_size();
    const std::uint32_t filled = part.blocks_filled(changed);
    if (shared_ != SharedBlocks::copy_out)
      part.settle_shared(changed.first(filled), changed.subspan(filled), plan, refused);
    else if (std::ranges::any_of(changed, [&](std::uint32_t e) { return part.shared(e); }))
      plan.fresh_blocks = filled;
  }

  SharedBlocks shared_;
  WhenFull when_full_;
};

struct CopyOutOptions {
  WhenFull when_full = WhenFull::postpone;
};

const OptionTable<CopyOutOptions>& copy_out_table() {
  static const auto table = OptionTable<CopyOutOptions>().add(
      "when_full", &CopyOutOptions::when_full, "", {},
      "What happens to a round that needs more fresh blocks than are free: it is skipped and tried "
      "again interval tokens later, or running requests that were not compressed yet are "
      "preempted, the newest first.");
  return table;
}

}  // namespace

ReclaimerEntry slide_entry() {
  return {{"slide",
           "Survivors move forward in position order within their table, and the blocks behind "
           "them return.",
           "TriAttention vLLM plugin; TensorRT-LLM KV cache compression",
           {}},
          Movement::in_place,
          [](const ParameterValues&, SharedBlocks shared) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<Slide>(shared);
          }};
}

ReclaimerEntry copy_out_entry() {
  return {{"copy_out",
           "Where a block that compaction would change is shared, survivors go to fresh blocks and "
           "the table lets go of the old ones; else as slide.",
           "Zipage, arXiv 2603.08743", copy_out_table().parameters()},
          Movement::into_fresh_blocks,
          [](const ParameterValues& values, SharedBlocks) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<Slide>(SharedBlocks::copy_out,
                                           copy_out_table().read(values).when_full);
          }};
}

}  // namespace vacancy
