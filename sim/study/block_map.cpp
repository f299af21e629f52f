// SPDX-License-Identifier: Apache-2.0
#include "sim/study/block_map.hpp"

#include <variant>

namespace vacancy {

BlockSnapshot take_snapshot(const KvCache& cache, SimTime time) {
  const BlockPool& pool = cache.pool();
  BlockSnapshot snapshot{time, pool.block_size(), std::vector<BlockCell>(pool.created())};
  for (std::uint32_t i = 0; i < pool.created(); ++i) {
    const BlockId block(i);
    if (pool.references(block) > 0)
      snapshot.cells[i] = {pool.references(block), pool.live(block), pool.fill(block),
                           SequenceId(0)};
  }
  // From the last sequence to the first, so that the lowest owner stays.
  const auto& sequences = cache.sequences();
  for (auto it = sequences.rbegin(); it != sequences.rend(); ++it)
    for (const BlockTable& table : it->second.tables)
      for (const BlockId block : table.entries())
        if (block != null_block) snapshot.cells[block.value()].owner = it->first;
  return snapshot;
}

BlockCensus take_census(const BlockSnapshot& snapshot) {
  BlockCensus census;
  census.total = snapshot.cells.size();
  for (const BlockCell& cell : snapshot.cells) {
    if (cell.free())
      ++census.free;
    else if (cell.has_holes())
      ++census.with_holes;
    else if (cell.live == snapshot.block_size)
      ++census.full;
    else
      ++census.tail_only;
    if (cell.shared()) ++census.shared;
  }
  return census;
}

void BlockMapRecorder::on_event(const Event& event) {
  if (const auto* clock = std::get_if<ClockAdvanced>(&event)) {
    now_ = clock->now;
    round_in_step_ = false;
  } else if (std::holds_alternative<RoundStarted>(event)) {
    if (!round_in_step_) before_ = take_snapshot(cache_, now_);
    round_in_step_ = true;
  } else if (std::holds_alternative<RoundFinished>(event)) {
    after_ = take_snapshot(cache_, now_);
  } else if (std::holds_alternative<StepComposed>(event) && !before_ &&
             cache_.pool().held() > most_held_) {
    most_held_ = cache_.pool().held();
    fullest_ = take_snapshot(cache_, now_);
  }
}

}  // namespace vacancy
