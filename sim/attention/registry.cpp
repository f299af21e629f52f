// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/registry.hpp"

#include <algorithm>

namespace vacancy {

const std::vector<AttentionSourceEntry>& attention_sources() {
  static const std::vector<AttentionSourceEntry> table{
      real_source_entry(),
  };
  return table;
}

const AttentionSourceEntry* find_attention_source(std::string_view name) {
  const auto& table = attention_sources();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.info.name == name; });
  return found == table.end() ? nullptr : &*found;
}

}  // namespace vacancy
