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

std::size_t PoolImage::number(int layer, int kind, int head, std::int32_t block, int slot) const {
  const bool own_layer = shape_.tables.layer != 0, own_head = shape_.tables.head != 0;
  const auto layers = std::size_t(own_layer ? 1 : shape_.layers);
  const auto heads = std::size_t(own_head ? 1 : shape_.heads);
  const auto l = std::size_t(own_layer ? 0 : layer), h = std::size_t(own_head ? 0 : head);
  const auto k = std::size_t(kind), b = std::size_t(block), s = std::size_t(slot);
  const auto slots = std::size_t(shape_.slots), blocks = std::size_t(shape_.blocks);
  if (shape_.order == PoolOrder::planes_first)
    return (((b * layers + l) * 2 + k) * heads + h) * slots + s;
  return (((l * 2 + k) * blocks + b) * slots + s) * heads + h;
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
            std::copy(row.begin(), row.end(),
                      to.row(layer, kind, head, target[std::size_t(move.target / slots)],
                             move.target % slots)
                          .begin());
          }
      }
}

}  // namespace vacancy::gpu::reference
