// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/pool/block_table.hpp"
#include "sim/pool/reclaim_plan.hpp"

namespace vacancy {

/// The entries of a table that a reclaimer may write: those behind the last one that another table
/// shares (spec policies §5.1, §5.4).
class PrivateEntries {
 public:
  PrivateEntries(const BlockTable& table, const BlockPool& pool);

  /// The first entry behind the shared ones.
  std::uint32_t first() const { return first_; }
  /// From there on, those that hold a block.
  const std::vector<std::uint32_t>& entries() const { return entries_; }
  /// Live tokens of the fullest set in them.
  std::uint32_t fullest_set() const;
  /// Puts entries into the plan's release that hold nothing already: null ones, and shared ones
  /// that became empty.
  void release_empty(TablePlan& plan) const;

 private:
  const BlockTable& table_;
  std::uint32_t first_ = 0;
  std::vector<std::uint32_t> entries_;
};

}  // namespace vacancy
