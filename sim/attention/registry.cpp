// SPDX-License-Identifier: Apache-2.0
#include "sim/attention/registry.hpp"

#include <algorithm>

#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

const std::vector<AttentionSourceEntry>& attention_sources() {
  static const std::vector<AttentionSourceEntry> table{
      real_source_entry(),
      calibrated_source_entry(),
      synthetic_source_entry(),
      random_source_entry(),
  };
  return table;
}

const AttentionSourceEntry* find_attention_source(std::string_view name) {
  const auto& table = attention_sources();
  const auto found = std::find_if(table.begin(), table.end(),
                                  [&](const auto& entry) { return entry.info.name == name; });
  return found == table.end() ? nullptr : &*found;
}

void check_shape(const AttentionShape& shape) {
  if (shape.layers == 0 || shape.kv_heads == 0 || shape.query_heads == 0 ||
      shape.query_heads % shape.kv_heads != 0)
    throw UserError("an attention source of " + counted(shape.layers, "layer") + ", " +
                    counted(shape.query_heads, "query head") + " and " +
                    counted(shape.kv_heads, "KV head") +
                    " is impossible: each must be positive and the query heads a "
                    "multiple of the KV heads");
  if (std::uint64_t{shape.layers} * shape.query_heads >= (1 << 24))
    throw UserError("an attention source of " + counted(shape.layers, "layer") + " and " +
                    counted(shape.query_heads, "query head") +
                    " is too large: layers times heads must stay below 2^24");
}

}  // namespace vacancy
