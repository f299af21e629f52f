// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace vacancy {

/// What a reclaimer wants done to one table, in this order: entries leave, survivors close ranks,
/// and blocks beyond the new end of the table leave. A value; only KvCache carries it out.
struct TablePlan {
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
};

}  // namespace vacancy
