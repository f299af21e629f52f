// SPDX-License-Identifier: Apache-2.0
// Rows on their way: what compaction, copy-on-write and appends do to K and V. Bytes are carried as
// they are, whatever they encode; a format with scales beside its codes has a second pool for them.
#pragma once

#include <cstdint>

#include "gpu_backend/kernels/views.hpp"

namespace vacancy::gpu {

/// Lists of moves, one for each of the requests * sets.count keep sets, request by request; arrays
/// in device memory. Move j in [begin[i], end[i]) of list i carries the rows in slot source[j] of
/// the request's table to slot target[j], in the planes of the (layer, head)s of that set, K and V.
struct MoveLists {
  const std::int32_t* begin = nullptr;
  const std::int32_t* end = nullptr;
  const std::int32_t* source = nullptr;
  const std::int32_t* target = nullptr;
  Sharing sets = {};
  int longest = 0;  // no list is longer: known to the host, since it shapes the launch
};

/// Moves in any number of lists whose sources and targets are all different within a set: holes
/// filled from the tail, the fullest blocks completed, a round of packing (pack_rounds.hpp). One
/// launch, every row on its own.
struct MoveRows {
  Pool pool = {};
  BlockTables tables = {};
  MoveLists moves = {};
};

/// As MoveRows, from one table to another: survivors to fresh blocks. The two may be the same
/// memory, but no block may be in both tables.
struct GatherRows {
  Pool from = {};
  BlockTables from_tables = {};
  Pool to = {};
  BlockTables to_tables = {};
  MoveLists moves = {};
};

enum class PackMethod {
  columns,  // a thread owns one unit of every row of a plane: no barrier, any number of blocks
  tiles     // a block owns a plane and moves tiles of rows: one barrier a tile
};
/// Survivors close ranks in place. In each list sources ascend strictly, targets ascend strictly
/// and target[j] <= source[j]: then whoever reads a row of a lower move must do so before a higher
/// move writes it, and there is no other hazard (docs/gpu.md).
struct PackRows {
  Pool pool = {};
  BlockTables tables = {};
  MoveLists moves = {};
  PackMethod method = PackMethod::columns;
  int tile_rows = 0;  // of `tiles`; 0: as many as 256 threads move
};

/// The first slots[i] slots of block from[i], in all planes, to the same slots of block to[i] of
/// another pool or of the same one, where no block is in both lists.
struct CopyBlocks {
  Pool from = {}, to = {};
  const std::int32_t* from_blocks = nullptr;  // [count], as the others; device memory
  const std::int32_t* to_blocks = nullptr;
  const std::int32_t* slots = nullptr;
  int count = 0;
};

/// Rows of new tokens into their slots. Token i of table t goes to slot_mapping[i * sharing.count +
/// t] = physical block * slots + slot, or nowhere if that is negative.
struct AppendRows {
  Pool pool = {};
  /// [token][layer][kind][head][row_units] units, in device memory, aligned to 16 bytes.
  const void* rows = nullptr;
  const std::int64_t* slot_mapping = nullptr;
  int tokens = 0;
  Sharing sharing = {};
};
/// The way back, into memory of the same shape; rows of negative slots are left as they are.
struct ReadRows {
  Pool pool = {};
  void* rows = nullptr;
  const std::int64_t* slot_mapping = nullptr;
  int tokens = 0;
  Sharing sharing = {};
};

}  // namespace vacancy::gpu
