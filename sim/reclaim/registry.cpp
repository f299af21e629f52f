// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/registry.hpp"

#include <algorithm>
#include <vector>

#include "sim/reclaim/entries.hpp"

namespace vacancy {

std::span<const ReclaimerEntry> reclaimers() {
  static const std::vector<ReclaimerEntry> all = {none_entry(), slide_entry(), fill_holes_entry(),
                                                  fullest_blocks_entry(), whole_block_entry()};
  return all;
}

const ReclaimerEntry* find_reclaimer(std::string_view name) {
  const auto all = reclaimers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ReclaimerEntry& e) { return e.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace vacancy
