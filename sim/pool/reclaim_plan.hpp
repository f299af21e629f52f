// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/slot_move.hpp"

namespace vacancy {

/// What a reclaimer wants done to one table, in this order: shared blocks get private copies,
/// survivors move to free slots, entries leave, survivors close ranks, and blocks beyond the new
/// end of the table leave. A value; only KvCache carries it out.
struct TablePlan {
  /// Entries whose shared blocks are copied whole, ascending.
  std::vector<std::uint32_t> unshare;
  /// In slots as they are before anything else; for all sets of the table or for none. Entries that
  /// are read or written are not null, those that are written unshared.
  TableMoves moves;
  /// Entries to drop, ascending, that hold no live slot (null entries included).
  std::vector<std::uint32_t> release;
  /// Whether later entries move up into the gaps; if not, null entries remain.
  bool shift = false;
  /// Survivors at or beyond this slot (start of an entry, counted after the release) pack forward,
  /// order kept. No entry from there on is null, and those that the survivors will fill are
  /// unshared.
  std::optional<std::uint32_t> pack_from;
  /// If not 0, they pack into so many fresh blocks instead, which are allocated before the entries
  /// from pack_from on, shared or not, are let go (spec policies §5.4).
  std::uint32_t fresh_blocks = 0;
};

/// A plan for one sequence, one part a table.
struct ReclaimPlan {
  std::vector<TablePlan> tables;
  MoveCause cause = MoveCause::slide;  // of what moves
  /// There is nothing to carry out: compaction would touch shared blocks and may not.
  bool refused = false;

  /// Blocks that must be free before anything is let go.
  std::uint64_t blocks_taken() const {
    std::uint64_t blocks = 0;
    for (const TablePlan& table : tables)
      blocks += table.unshare.size() + table.fresh_blocks;
    return blocks;
  }

  void clear() {
    for (TablePlan& table : tables) {
      table.unshare.clear();
      table.moves.clear();
      table.release.clear();
      table.shift = false;
      table.pack_from.reset();
      table.fresh_blocks = 0;
    }
    cause = MoveCause::slide;
    refused = false;
  }
};

}  // namespace vacancy
