// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "sim/reclaim/entries.hpp"
#include "sim/reclaim/private_entries.hpp"

namespace vacancy {

namespace {

/// Hole-fill from the tail (KV-Compress): in each set of K survivors those beyond the first K slots
/// go, the last one first, into the holes of these (spec policies §5.2). As many moves as holes,
/// any order of copies will do, and slot order is position order no more.
class FillHoles final : public Reclaimer {
  void plan(const CachedSequence& sequence, const BlockPool& pool,
            ReclaimPlan& plan) const override {
    plan.cause = MoveCause::fill_holes;
    for (std::size_t i = 0; i < sequence.tables.size(); ++i)
      plan_table(sequence.tables[i], pool, plan.tables[i]);
  }

  static void plan_table(const BlockTable& table, const BlockPool& pool, TablePlan& plan) {
    const std::uint32_t b = table.block_size();
    const PrivateEntries own(table, pool);
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
    for (std::uint32_t i = (most + b - 1) / b; i < own.entries().size(); ++i)
      plan.release.push_back(own.entries()[i]);
    std::ranges::sort(plan.release);
    plan.shift = true;
  }
};

}  // namespace

ReclaimerEntry fill_holes_entry() {
  return {{"fill_holes",
           "The last survivors move into the first holes of their table, and the blocks behind "
           "return; slot order is lost.",
           "KV-Compress, arXiv 2410.00161; the plugin of TriAttention has it switched off",
           {}},
          false,
          [](const ParameterValues&) -> std::unique_ptr<Reclaimer> {
            return std::make_unique<FillHoles>();
          }};
}

}  // namespace vacancy
