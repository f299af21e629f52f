// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/registry.hpp"

#include <algorithm>
#include <vector>

#include "sim/reclaim/entries.hpp"
#include "sim/reclaim/when_it_pays.hpp"

namespace vacancy {

std::span<const ReclaimerEntry> reclaimers() {
  static const std::vector<ReclaimerEntry> all = {none_entry(),        slide_entry(),
                                                  fill_holes_entry(),  fullest_blocks_entry(),
                                                  whole_block_entry(), copy_out_entry()};
  return all;
}

const ReclaimerEntry* find_reclaimer(std::string_view name) {
  const auto all = reclaimers();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ReclaimerEntry& e) { return e.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::unique_ptr<Reclaimer> make_reclaimer(const ReclaimerEntry& entry,
                                          const ParameterValues& values,
                                          const ReclaimRules& rules) {
  auto reclaimer = entry.make(values, rules.shared);
  if (rules.always_moves()) return reclaimer;
  ReclaimRules own = rules;
  if (entry.movement == Movement::into_fresh_blocks) own.shared = SharedBlocks::copy_out;
  return std::make_unique<WhenItPays>(std::move(reclaimer), own);
}

}  // namespace vacancy
