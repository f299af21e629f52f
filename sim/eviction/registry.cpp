// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/registry.hpp"

#include <algorithm>

#include "sim/eviction/policies/entries.hpp"

namespace vacancy {

std::span<const PolicyEntry> policies() {
  static const PolicyEntry table[] = {
      full_entry(),  random_entry(),       streaming_llm_entry(), h2o_entry(),       snapkv_entry(),
      knorm_entry(), triattention_entry(), block_h2o_entry(),     keep_list_entry(),
  };
  return table;
}

const PolicyEntry* find_policy(std::string_view name) {
  const auto all = policies();
  const auto entry = std::find_if(all.begin(), all.end(),
                                  [&](const PolicyEntry& e) { return e.info.name == name; });
  return entry == all.end() ? nullptr : &*entry;
}

}  // namespace vacancy
