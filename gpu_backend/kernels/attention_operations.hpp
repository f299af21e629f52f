// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "gpu_backend/kernels/element_type.hpp"
#include "gpu_backend/kernels/views.hpp"

namespace vacancy::gpu {

/// Which position the token in each slot has. Compaction changes slots, never positions, and a hole
/// has none.
struct SlotPositions {
  /// [requests * sets.count][stride], in device memory: -1 for a hole. nullptr: all slots of the
  /// table are live, and a token's position is its slot.
  const std::int32_t* positions = nullptr;
  std::int64_t stride = 0;
  Sharing sets = {};
};

/// One query a request and query head against all live slots of its table: softmax(q k * scale) v,
/// accumulated in float. Entries of the table may be negative: blocks that are not there. Without a
/// live slot the output is 0.
struct DecodeAttention {
  Pool pool = {};  // with K and V
  ElementType element = ElementType::bf16;
  float key_scale = 1, value_scale = 1;  // of fp8
  BlockTables tables = {};               // with last_page_len
  SlotPositions slots = {};
  const float* query = nullptr;  // [requests][layers][query_heads][head_dim]
  float* output = nullptr;       // as query
  /// decode_workspace() floats.
  float* workspace = nullptr;
  int query_heads = 0, head_dim = 0;
  float scale = 0;
  /// A slot counts if query_position - window < position <= query_position; window 0 has no lower
  /// end. query_positions: [requests], may be nullptr if window is 0: then all live slots count.
  const std::int32_t* query_positions = nullptr;
  int window = 0;
  int splits = 1;  // parts of a table that are read side by side
};
constexpr std::int64_t decode_workspace(const DecodeAttention& op) {
  return std::int64_t{op.tables.requests} * op.pool.layout.layers * op.query_heads * op.splits *
         (op.head_dim + 2);
}

}  // namespace vacancy::gpu
