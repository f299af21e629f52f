// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/replacement/registry.hpp"

#include <algorithm>
#include <vector>

#include "sim/prefix/replacement/policies/entries.hpp"

namespace vacancy {

std::span<const ReplacementEntry> replacement_policies() {
  static const std::vector<ReplacementEntry> all = {
      lru_entry(),     lfu_entry(),  fifo_entry(),         slru_entry(),   priority_entry(),
      mru_entry(),     filo_entry(), length_aware_entry(), ttl_entry(),    cost_aware_entry(),
      s3_fifo_entry(), arc_entry(),  w_tinylfu_entry(),    belady_entry(), page_aware_entry()};
  return all;
}

const ReplacementEntry* find_replacement(std::string_view name) {
  const auto all = replacement_policies();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const ReplacementEntry& e) { return e.info.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace vacancy
