// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu_backend/kernels/move_operations.hpp"
#include "gpu_backend/launch/pool_shape.hpp"

namespace vacancy::gpu::reference {

struct Move {
  std::int32_t source, target;  // slots of a table
};
using Table = std::vector<std::int32_t>;  // physical blocks
using Moves = std::vector<Move>;

/// A pool part's bytes on the host, found by the words of PoolOrder, not by a PoolLayout.
class PoolImage {
 public:
  /// `row_bytes`: of this part.
  PoolImage(const PoolShape& shape, std::size_t row_bytes)
      : shape_(shape), row_bytes_(row_bytes), bytes_(rows() * row_bytes) {}

  const PoolShape& shape() const { return shape_; }
  std::size_t row_bytes() const { return row_bytes_; }
  std::vector<std::uint8_t>& bytes() { return bytes_; }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

  /// The row in a slot of a physical block.
  std::vector<std::uint8_t> row(int layer, int kind, int head, std::int32_t block, int slot) const;
  void set_row(int layer, int kind, int head, std::int32_t block, int slot,
               std::span<const std::uint8_t> row);
  /// The row of a token of a table.
  std::vector<std::uint8_t> row(int layer, int kind, int head, const Table& table, int slot) const {
    return row(layer, kind, head, table[static_cast<std::size_t>(slot / shape_.slots)],
               slot % shape_.slots);
  }

 private:
  std::size_t rows() const;
  /// Of a row's byte.
  std::size_t place(int layer, int kind, int head, std::int32_t block, int slot,
                    std::size_t byte) const;

  PoolShape shape_;
  std::size_t row_bytes_;
  std::vector<std::uint8_t> bytes_;
};

/// What moves do, all of them at once: targets get what sources held before. `lists`: of the keep
/// sets, request by request; `from` and `to` may be one image. Tables are listed request by
/// request.
void move_rows(const PoolImage& from, std::span<const Table> from_tables, PoolImage& to,
               std::span<const Table> to_tables, std::span<const Moves> lists, const Sharing& sets);

}  // namespace vacancy::gpu::reference
