// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/reference/pool_image.hpp"

#include <algorithm>

namespace vacancy::gpu::reference {

std::size_t PoolImage::rows() const {
  const int layers = shape_.tables.layer != 0 ? 1 : shape_.layers;
  const int heads = shape_.tables.head != 0 ? 1 : shape_.heads;
  return std::size_t(layers) * 2 * std::size_t(heads) * std::size_t(shape_.slots) *
         std::size_t(shape_.blocks);
}

std::vector<std::uint8_t> PoolImage::row(int layer, int kind, int head, std::int32_t block,
                                         int slot) const {
  std::vector<std::uint8_t> row(row_bytes_);
  for (std::size_t byte = 0; byte < row_bytes_; ++byte)
    row[byte] = bytes_[place(layer, kind, head, block, slot, byte)];
  return row;
}

void PoolImage::set_row(int layer, int kind, int head, std::int32_t block, int slot,
                        std::span<const std::uint8_t> row) {
  for (std::size_t byte = 0; byte < row_bytes_; ++byte)
    bytes_[place(layer, kind, head, block, slot, byte)] = row[byte];
}

std::size_t PoolImage::place(int layer, int kind, int head, std::int32_t block, int slot,
                             std::size_t byte) const {
  const bool own_layer = shape_.tables.layer != 0, own_head = shape_.tables.head != 0;
  const auto layers = std::size_t(own_layer ? 1 : shape_.layers);
  const auto heads = std::size_t(own_head ? 1 : shape_.heads);
  const auto l = std::size_t(own_layer ? 0 : layer), h = std::size_t(own_head ? 0 : head);
  const auto k = std::size_t(kind), b = std::size_t(block), s = std::size_t(slot);
  const auto slots = std::size_t(shape_.slots), blocks = std::size_t(shape_.blocks);
  const std::size_t plane = ((b * layers + l) * 2 + k) * heads + h;
  switch (shape_.order) {
    case PoolOrder::planes_first:
      return (plane * slots + s) * row_bytes_ + byte;
    case PoolOrder::slots_first:
      return ((((l * 2 + k) * blocks + b) * slots + s) * heads + h) * row_bytes_ + byte;
    case PoolOrder::units_first:
      break;
  }
  const std::size_t piece = std::min<std::size_t>(16, row_bytes_), pieces = row_bytes_ / piece;
  return ((plane * pieces + byte / piece) * slots + s) * piece + byte % piece;
}

void move_rows(const PoolImage& from, std::span<const Table> from_tables, PoolImage& to,
               std::span<const Table> to_tables, std::span<const Moves> lists,
               const Sharing& sets) {
  const PoolShape& shape = from.shape();
  const PoolImage before = from;
  const std::size_t requests = lists.size() / std::size_t(sets.count);
  for (std::size_t request = 0; request < requests; ++request)
    for (int layer = 0; layer < shape.layers; ++layer)
      for (int head = 0; head < shape.heads; ++head) {
        const auto of = [&](const Sharing& sharing) {
          return request * std::size_t(sharing.count) +
                 std::size_t(layer * sharing.layer + head * sharing.head);
        };
        const Table& source = from_tables[of(shape.tables)];
        const Table& target = to_tables[of(to.shape().tables)];
        for (const Move& move : lists[of(sets)])
          for (int kind = 0; kind < 2; ++kind) {
            const auto row = before.row(layer, kind, head, source, move.source);
            const int slots = to.shape().slots;
            to.set_row(layer, kind, head, target[std::size_t(move.target / slots)],
                       move.target % slots, row);
          }
      }
}

}  // namespace vacancy::gpu::reference
