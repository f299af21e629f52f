// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/when_it_pays.hpp"

#include <algorithm>

#include "sim/reclaim/compactable.hpp"
#include "sim/reclaim/entries.hpp"

namespace vacancy {

void WhenItPays::plan(const CachedSequence& sequence, const BlockPool& pool,
                      ReclaimPlan& plan) const {
  if (pays(sequence, pool)) {
    mover_->plan(sequence, pool, plan);
    return;
  }
  for (std::size_t i = 0; i < sequence.tables.size(); ++i)
    release_empty_entries(sequence.tables[i], plan.tables[i]);
}

bool WhenItPays::pays(const CachedSequence& sequence, const BlockPool& pool) const {
  std::uint64_t slots = 0, holes = 0;
  std::int64_t blocks = 0;
  for (const BlockTable& table : sequence.tables) {
    const Compactable part(table, pool, rules_.shared);
    const std::uint32_t b = table.block_size();
    std::uint64_t held = 0;
    for (const std::uint32_t entry : part.entries())
      if (table.live_pairs(entry) > 0) held += std::min(b, table.length() - entry * b);
    slots += held;
    // Slots that the fullest set does not need; where sets are several, some hold other tokens.
    holes += held - table.fullest_set(part.first() * b);
    // Shared blocks stay with their other holders, whether survivors leave them or copy them: the
    // pool wins u - ceil(k / B) blocks (spec policies §5.4).
    const auto changed = part.changed();
    blocks -= part.blocks_filled(changed);
    blocks += std::ranges::count_if(changed, [&](std::uint32_t entry) {
      return table.live_pairs(entry) > 0 && !part.shared(entry);
    });
  }
  return holes > 0 && blocks >= std::int64_t{rules_.min_blocks} &&
         static_cast<double>(holes) >= rules_.min_hole_share * static_cast<double>(slots);
}

}  // namespace vacancy
