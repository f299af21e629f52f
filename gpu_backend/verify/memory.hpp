// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu_backend/launch/device_pool.hpp"
#include "gpu_backend/verify/books.hpp"
#include "gpu_backend/verify/row_contents.hpp"

namespace vacancy::verify {

/// What one kernel is about to do, on the host: a test may spoil it.
struct MemoryWork {
  enum class Kind { append, move, pack, copy_out, copy_block, to_host, from_host };
  Kind kind = Kind::append;
  /// append: physical block * slots + offset, or -1, of each [token][table]; rows as AppendRows.
  std::vector<std::int64_t> slot_mapping;
  std::vector<std::uint16_t> rows;
  /// move, pack, copy_out: blocks of each table, and moves of each [layer][head] plane; copy_out
  /// writes through `fresh`.
  std::vector<std::vector<std::int32_t>> tables, fresh;
  std::vector<std::vector<Books::Move>> moves;
  std::vector<Books::BlockCopy> blocks;  // copy_block, to_host, from_host
};

/// Which (layer, KV head)s the memory holds: all of a small model, some of a large one.
struct HeldPlanes {
  std::vector<std::uint32_t> layers, heads;
};
/// So many layers and heads, first and last among them, as far apart as can be.
HeldPlanes choose_planes(const CacheLayout& layout, std::uint32_t layers, std::uint32_t heads);

/// K and V of a cache in device memory, changed by kernels alone, and host memory beside it: a pool
/// of the same blocks, which only copies of blocks reach. Both grow with the block ids that they
/// meet.
class KvMemory {
 public:
  enum class Tier { device, host };
  static constexpr int head_dim = 64;  // the least that kernels of attention take

  KvMemory(gpu::Device& device, const CacheLayout& layout, std::uint32_t block_size,
           HeldPlanes planes);

  int layers() const { return static_cast<int>(planes_.layers.size()); }
  int heads() const { return static_cast<int>(planes_.heads.size()); }
  int planes() const { return layers() * heads(); }
  std::uint32_t real_layer(int plane) const {
    return planes_.layers[static_cast<std::size_t>(plane / heads())];
  }
  std::uint32_t real_head(int plane) const {
    return planes_.heads[static_cast<std::size_t>(plane % heads())];
  }
  /// The cache's tables that are held, by number, and which of them a plane goes by.
  const std::vector<std::uint32_t>& tables() const { return tables_; }
  int table_of(int plane) const { return table_of_[static_cast<std::size_t>(plane)]; }
  /// The keep set on that table which speaks for a plane.
  std::uint32_t set_of(int plane) const { return set_of_[static_cast<std::size_t>(plane)]; }
  /// Hears of all work before it is done.
  void watch(std::function<void(MemoryWork&)> watcher) { watcher_ = std::move(watcher); }

  /// slot_mapping: [token][held table].
  void append(std::vector<std::int64_t> slot_mapping, std::span<const RowId> rows);
  void append_rows(std::vector<std::int64_t> slot_mapping, std::vector<std::uint16_t> rows);
  /// Moves within the held tables; of each plane.
  void move(MemoryWork work);
  /// Within the device's memory, or between the two: copy_block, to_host, from_host.
  void copy_blocks(MemoryWork::Kind kind, std::vector<Books::BlockCopy> blocks);
  /// [token][layer][K|V][head][head_dim]; 0xFFFF where a slot is negative.
  std::vector<std::uint16_t> read(const std::vector<std::int64_t>& slot_mapping,
                                  Tier tier = Tier::device);
  std::span<const std::uint16_t> row(const std::vector<std::uint16_t>& rows, std::size_t token,
                                     int plane, RowKind kind) const;

  /// Decode attention of one query over what `positions` (of each plane, by slot; -1: a hole) say
  /// is live, through the held tables: [layer][head][head_dim].
  std::vector<float> attention(const std::vector<std::vector<std::int32_t>>& tables,
                               const std::vector<std::uint32_t>& lengths,
                               const std::vector<std::vector<std::int32_t>>& positions,
                               std::uint64_t query_seed);

 private:
  struct DeviceTables {
    gpu::Buffer<std::int32_t> indptr, indices, last_page_len;
  };
  std::optional<gpu::DevicePool>& pool_of(Tier tier) {
    return tier == Tier::host ? host_pool_ : pool_;
  }
  void reserve(std::int64_t blocks, Tier tier = Tier::device);
  void reserve_for(const std::vector<std::int64_t>& slot_mapping, Tier tier = Tier::device);
  DeviceTables upload(const std::vector<std::vector<std::int32_t>>& tables,
                      const std::vector<std::uint32_t>* lengths = nullptr);
  gpu::BlockTables view(const DeviceTables& tables) const;
  std::size_t rows_of(std::size_t tokens) const {
    return tokens * static_cast<std::size_t>(planes()) * 2 * head_dim;
  }

  gpu::Device& device_;
  HeldPlanes planes_;
  std::uint32_t block_size_;
  gpu::Sharing sharing_;
  std::vector<std::uint32_t> tables_;
  std::vector<int> table_of_;
  std::vector<std::uint32_t> set_of_;
  std::optional<gpu::DevicePool> pool_, host_pool_;
  std::function<void(MemoryWork&)> watcher_;
};

}  // namespace vacancy::verify
