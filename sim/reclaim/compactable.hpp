// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/pool/block_table.hpp"
#include "sim/pool/reclaim_plan.hpp"
#include "sim/reclaim/rules.hpp"

namespace vacancy {

/// The part of a table that compaction is about. Under `suffix` that is what lies behind the last
/// entry that another table shares (spec policies §5.1, §5.4), else the whole table.
class Compactable {
 public:
  Compactable(const BlockTable& table, const BlockPool& pool, SharedBlocks rule);

  /// Where it begins.
  std::uint32_t first() const { return first_; }
  /// From there on, entries that hold a block, without shared ones that became empty.
  std::span<const std::uint32_t> entries() const { return entries_; }
  /// Of these, all from the first one on that an order-keeping compaction changes: under `suffix`
  /// from the beginning, else from the first hole on; but all under `copy_out`, if one of those is
  /// shared.
  std::span<const std::uint32_t> changed() const;
  /// Blocks that survivors fill which stand in `entries`, a row of entries() up to its end.
  std::uint32_t blocks_filled(std::span<const std::uint32_t> entries) const;
  bool shared(std::uint32_t entry) const { return pool_.references(table_.entries()[entry]) > 1; }

  /// Whether some set lacks a token in one of the entry's slots.
  bool has_hole(std::uint32_t entry) const;

  /// Puts entries into the plan's release that hold nothing already and are not among
  /// entries().
  void release_empty(TablePlan& plan) const;
  /// What becomes of shared entries under `refuse` and `unshare`: `written` are written by the
  /// plan, `read` only read.
  void settle_shared(std::span<const std::uint32_t> written, std::span<const std::uint32_t> read,
                     TablePlan& plan, bool& refused) const;
  /// The same where the plan's moves say it, and `last` is the last entry that stays.
  void settle_shared_moves(std::uint32_t last, TablePlan& plan, bool& refused) const;

 private:
  const BlockTable& table_;
  const BlockPool& pool_;
  SharedBlocks rule_;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> entries_;
};

}  // namespace vacancy
