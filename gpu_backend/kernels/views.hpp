// SPDX-License-Identifier: Apache-2.0
// What kernels read and write, as plain pointers and sizes. No header of CUDA is needed to call
// one.
#pragma once

#include <cstdint>

namespace vacancy::gpu {

/// A cudaStream_t; nullptr is the default stream. The CPU ignores it.
using Stream = void*;

/// Which of a request's tables, or keep sets, a (layer, KV head) goes by: number
/// layer * Sharing::layer + head * Sharing::head of its `count`.
struct Sharing {
  int layer = 0, head = 0, count = 1;

  static constexpr Sharing one() { return {}; }
  static constexpr Sharing per_layer(int layers) { return {1, 0, layers}; }
  static constexpr Sharing per_head(int heads) { return {0, 1, heads}; }
  static constexpr Sharing per_layer_and_head(int layers, int heads) {
    return {heads, 1, layers * heads};
  }
};

/// Where a pool keeps its rows. A row is what one token has for one (layer, K or V, KV head): of
/// row_units units of unit_bytes (4, 8 or 16) bytes. Unit u of the row in slot s of block b lies
///   b * block + layer * per_layer + kind * per_kind + head * per_head + s * per_slot + u *
///   per_unit
/// units behind the base; kind is 0 for K, 1 for V.
///
/// A pool whose blocks belong to one (layer, KV head) has per_layer = per_head = 0: the block id
/// alone tells where it is.
struct PoolLayout {
  std::int64_t block = 0, per_layer = 0, per_kind = 0, per_head = 0, per_slot = 0, per_unit = 1;
  int layers = 1, kinds = 2, heads = 1;
  int slots = 16;  // of a block
  int row_units = 1, unit_bytes = 16;

  constexpr int planes() const { return layers * kinds * heads; }
};

struct Pool {
  void* base = nullptr;  // in device memory, aligned to 16 bytes
  PoolLayout layout = {};
};

/// Block tables in the words of FlashInfer and vLLM; all arrays in device memory. Table t of the
/// requests * sharing.count tables, request by request, has the physical blocks
/// indices[indptr[t] .. indptr[t + 1]); its last block holds last_page_len[t] tokens. Operations on
/// rows by slot need no last_page_len.
struct BlockTables {
  const std::int32_t* indptr = nullptr;
  const std::int32_t* indices = nullptr;
  const std::int32_t* last_page_len = nullptr;
  int requests = 0;
  Sharing sharing = {};
};

}  // namespace vacancy::gpu
