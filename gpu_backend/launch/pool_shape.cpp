// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/launch/pool_shape.hpp"

#include <bit>
#include <stdexcept>

namespace vacancy::gpu {
namespace {

std::vector<int> row_bytes(RowFormat format, int head_dim) {
  switch (format) {
    case RowFormat::bf16:
      return {2 * head_dim};
    case RowFormat::fp8:
      return {head_dim};
    case RowFormat::int8:
      return {head_dim, 4};
    case RowFormat::int4:
      return {head_dim / 2, 4};
    case RowFormat::nvfp4:
      return {head_dim / 2, head_dim / 16};
    case RowFormat::fp32:
      return {4 * head_dim};
  }
  return {};
}

/// The widest that a thread can carry at once.
int unit_of(int bytes) {
  return bytes % 16 == 0 ? 16 : bytes % 8 == 0 ? 8 : 4;
}

PoolPart part_of(const PoolShape& shape, int bytes) {
  PoolPart part;
  PoolLayout& layout = part.layout;
  layout.layers = shape.layers;
  layout.heads = shape.heads;
  layout.slots = shape.slots;
  layout.unit_bytes = unit_of(bytes);
  layout.row_units = bytes / layout.unit_bytes;
  const std::int64_t row = layout.row_units;
  // Layers and heads that a block holds.
  const std::int64_t layers = shape.tables.layer != 0 ? 1 : shape.layers;
  const std::int64_t heads = shape.tables.head != 0 ? 1 : shape.heads;
  const std::int64_t block = layers * 2 * heads * shape.slots * row;
  if (shape.order != PoolOrder::slots_first) {
    const bool units = shape.order == PoolOrder::units_first;
    layout.per_slot = units ? 1 : row;
    layout.per_unit = units ? shape.slots : 1;
    layout.per_head = heads == 1 ? 0 : shape.slots * row;
    layout.per_kind = heads * shape.slots * row;
    layout.per_layer = layers == 1 ? 0 : 2 * heads * shape.slots * row;
    layout.block = block;
  } else {
    layout.per_head = row;
    layout.per_slot = heads * row;
    layout.block = shape.slots * heads * row;
    layout.per_kind = shape.blocks * layout.block;
    layout.per_layer = layers == 1 ? 0 : 2 * layout.per_kind;
  }
  part.bytes = shape.blocks * block * layout.unit_bytes;
  return part;
}

}  // namespace

std::vector<PoolPart> pool_parts(const PoolShape& shape) {
  if (shape.layers < 1 || shape.heads < 1 || shape.blocks < 1 || shape.slots < 1)
    throw std::invalid_argument("a pool needs a layer, a KV head, a block and a slot at least");
  if (shape.head_dim < 16 || !std::has_single_bit(static_cast<unsigned>(shape.head_dim)) ||
      (shape.format == RowFormat::nvfp4 && shape.head_dim < 64))
    throw std::invalid_argument(
        "a pool's heads have 16, 32, 64, 128, ... elements, with NVFP4 64 at least");
  if (shape.order == PoolOrder::slots_first && shape.tables.head != 0)
    throw std::invalid_argument("tables per KV head need a pool with planes first");
  if (shape.tables.head != 0 && shape.tables.layer == 0 && shape.layers > 1)
    throw std::invalid_argument("a table per KV head that all layers share is not on offer");
  std::vector<PoolPart> parts;
  for (const int bytes : row_bytes(shape.format, shape.head_dim))
    parts.push_back(part_of(shape, bytes));
  return parts;
}

}  // namespace vacancy::gpu
