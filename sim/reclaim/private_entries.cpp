// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/private_entries.hpp"

#include <algorithm>

namespace vacancy {

PrivateEntries::PrivateEntries(const BlockTable& table, const BlockPool& pool) : table_(table) {
  const auto blocks = table.entries();
  for (std::uint32_t entry = 0; entry < blocks.size(); ++entry)
    if (blocks[entry] != null_block && pool.references(blocks[entry]) > 1) first_ = entry + 1;
  for (std::uint32_t entry = first_; entry < blocks.size(); ++entry)
    if (blocks[entry] != null_block) entries_.push_back(entry);
}

std::uint32_t PrivateEntries::fullest_set() const {
  std::uint32_t most = 0;
  for (std::uint32_t set = 0; set < table_.sets(); ++set) {
    std::uint32_t shared = 0;
    table_.for_each_live(set, 0, std::min(first_ * table_.block_size(), table_.length()),
                         [&](std::uint32_t, std::uint32_t) { ++shared; });
    most = std::max(most, table_.live_count(set) - shared);
  }
  return most;
}

void PrivateEntries::release_empty(TablePlan& plan) const {
  const auto blocks = table_.entries();
  for (std::uint32_t entry = 0; entry < blocks.size(); ++entry)
    if (blocks[entry] == null_block || (entry < first_ && table_.live_pairs(entry) == 0))
      plan.release.push_back(entry);
}

}  // namespace vacancy
