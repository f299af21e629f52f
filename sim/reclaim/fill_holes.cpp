// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/reclaim/compactable.hpp"
#include "sim/reclaim/entries.hpp"

namespace vacancy {

namespace {

/// Hole-fill from the tail (KV-Compress): in each set of K survivors those beyond the first K slots
/// go, the last one first, into the holes of these (spec policies §5.2). As many moves as holes,
/// any order of copies will do, and slot order is position order no more.
class FillHoles final : public Reclaimer {
 public:
  explicit FillHoles(SharedBlocks shared) : shared_(shared) {}

  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override {
    plan.cause = MoveCause::fill_holes;
    for (std::size_t i = 0; i < sequence.tables.size(); ++i)
      plan_table(sequence.tables[i], pool, plan.tables[i], plan.refused);
  }
  bool may_decline() const override { return shared_ != SharedBlocks::suffix; }

 private:
  void plan_table(const BlockTable& table, const BlockPool& pool, TablePlan& plan,
                  bool& refused) const {
    const std::uint32_t b = table.block_size();
    const Compactable own(table, pool, shared_);
    plan.moves.first_slot = own.first() * b;
    // Slots are numbered through the entries with blocks, without what lies between them.
    std::vector<std::uint32_t> number(table.entries().size(), 0), live;
    for (std::uint32_t i = 0; i < own.entries().size(); ++i)
      number[own.entries()[i]] = i;
    const auto slot = [&](std::uint32_t n) { return own.entries()[n / b] * b + n % b; };
    std::uint32_t most = 0;
    for (std::uint32_t set = 0; set < table.sets(); ++set) {
      live.clear();
      table.for_each_live(
          set, own.first() * b, table.length(),
          [&](std::uint32_t s, std::uint32_t) { live.push_back(number[s / b] * b + s % b); });
      const auto survivors = static_cast<std::uint32_t>(live.size());
      most = std::max(most, survivors);
      auto next = live.begin();
      std::uint32_t hole = 0;
      for (auto last = live.end(); last != live.begin() && *(last - 1) >= survivors; ++hole) {
        for (; *next == hole; ++next)
          ++hole;
        plan.moves.add({slot(*--last), slot(hole)});
      }
      plan.moves.end_set();
    }
    own.release_empty(plan);
    const std::uint32_t kept = (most + b - 1) / b;
    for (std::uint32_t i = kept; i < own.entries().size(); ++i)
      plan.release.push_back(own.entries()[i]);
    std::ranges::sort(plan.release);
    plan.shift = true;
    if (kept > 0) own.settle_shared_moves(own.entries()[kept - 1], plan, refused);
  }

  SharedBlocks shared_;
};

}  // namespace

ReclaimerEntry fill_holes_entry() {
  return {{"fill_holes",
           "The last survivors move into the first holes of their table, and the blocks behind "
           "return; slot order is lost.",
           "KV-Compress, arXiv 2410.00161; the plugin of TriAttention has it switched off",
           {}},
          Movement::in_place,
          [](const ParameterValues&, SharedBlocks shared) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<FillHoles>(shared);
          }};
}

}  // namespace vacancy
