// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/pool/slot_move.hpp"

namespace vacancy {

/// What a reclaimer wants done to one table, in this order: survivors move to free slots, entries
/// leave, survivors close ranks, and blocks beyond the new end of the table leave. A value; only
/// KvCache carries it out.
struct TablePlan {
  /// In slots as they are before anything else; for all sets of the table or for none. Entries that
  /// are read or written are unshared and not null.
  TableMoves moves;
  /// Entries to drop, ascending, that hold no live slot (null entries included).
  std::vector<std::uint32_t> release;
  /// Whether later entries move up into the gaps; if not, null entries remain.
  bool shift = false;
  /// Survivors at or beyond this slot (start of an entry, counted after the release) pack forward,
  /// order kept. All entries from there on are unshared and not null.
  std::optional<std::uint32_t> pack_from;
};

/// A plan for one sequence, one part a table.
struct ReclaimPlan {
  std::vector<TablePlan> tables;
  MoveCause cause = MoveCause::slide;  // of what moves

  void clear() {
    for (TablePlan& table : tables) {
      table.moves.clear();
      table.release.clear();
      table.shift = false;
      table.pack_from.reset();
    }
    cause = MoveCause::slide;
  }
};

}  // namespace vacancy
