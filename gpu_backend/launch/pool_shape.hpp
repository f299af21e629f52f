// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "gpu_backend/kernels/views.hpp"

namespace vacancy::gpu {

/// What a row's bytes are. int8, int4 and nvfp4 have scales in a pool of their own: 4 bytes a row,
/// and a byte for 16 elements.
enum class RowFormat { bf16, fp8, int8, int4, nvfp4, fp32 };

enum class PoolOrder {
  planes_first,  // [block][layer][K|V][head][slot][dim]: what kernels read best
  slots_first,   // [layer][K|V][block][slot][head][dim]: vLLM's FlashAttention tensors, end to end
  units_first  // [block][layer][K|V][head][dim / x][slot][x], x elements in 16 bytes: as vLLM's own
               // kernels have keys. Rows are moved in it; kernels that compute refuse it.
};

struct PoolShape {
  int layers = 1, heads = 1, head_dim = 128;
  int blocks = 0, slots = 16;
  RowFormat format = RowFormat::bf16;
  PoolOrder order = PoolOrder::planes_first;
  /// Whose block tables there are. A block of a table that is not shared holds K and V of one
  /// layer, or of one (layer, KV head). Tables shared by layers, one a head, are not on offer.
  Sharing tables = {};
};

/// One part of a pool: its layout and size.
struct PoolPart {
  PoolLayout layout = {};
  std::int64_t bytes = 0;
};
/// The codes, then the scales if the format has them. Throws std::invalid_argument where head_dim
/// is no power of two from 16 on, or a count is not positive, or an order has no such tables.
std::vector<PoolPart> pool_parts(const PoolShape& shape);

}  // namespace vacancy::gpu
