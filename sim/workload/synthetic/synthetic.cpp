// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/synthetic.hpp"

#include "sim/workload/synthetic/entries.hpp"

namespace vacancy {

std::span<const SyntheticEntry> synthetic_workloads() {
  static const SyntheticEntry entries[] = {independent_entry(), shared_prefix_entry(),
                                           multi_turn_entry(), rag_entry(), agent_loop_entry()};
  return entries;
}

const SyntheticEntry* find_synthetic_workload(std::string_view name) {
  for (const SyntheticEntry& entry : synthetic_workloads())
    if (entry.info.name == name) return &entry;
  return nullptr;
}

}  // namespace vacancy
