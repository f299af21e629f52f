// SPDX-License-Identifier: Apache-2.0
// How kernels find rows. Distances are of 64 bits: pools are larger than 4 GB.
#pragma once

#include "gpu_backend/kernels/move_operations.hpp"
#include "gpu_backend/kernels/views.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

// A grid has 65,535 blocks at most in y and z, 2^31 - 1 in x: rows of scores lie along x, planes
// and heads along y, requests along z.
//
// Kernels that compute name kBlocks, how many of their blocks must fit a multiprocessor: without it
// ptxas spills registers to reach a round number of threads.

struct Plane {
  int layer, kind, head;
};

/// Of number `index` in the order [layer][kind][head].
__device__ __forceinline__ Plane plane_of(int index, const PoolLayout& layout) {
  return {index / layout.heads / layout.kinds, index / layout.heads % layout.kinds,
          index % layout.heads};
}
/// K's plane of number `index` in the order [layer][KV head].
__device__ __forceinline__ Plane plane_of_keys(int index, const PoolLayout& layout) {
  return {index / layout.heads, 0, index % layout.heads};
}
__device__ __forceinline__ int number(const Sharing& sharing, Plane plane) {
  return plane.layer * sharing.layer + plane.head * sharing.head;
}
__device__ __forceinline__ std::int64_t plane_offset(const PoolLayout& layout, Plane plane) {
  return plane.layer * layout.per_layer + plane.kind * layout.per_kind +
         plane.head * layout.per_head;
}
/// `table`: a request's physical blocks.
__device__ __forceinline__ std::int64_t slot_offset(const PoolLayout& layout,
                                                    const std::int32_t* table, int slot) {
  return __ldg(&table[slot / layout.slots]) * layout.block +
         (slot % layout.slots) * layout.per_slot;
}
__device__ __forceinline__ const std::int32_t* table_of(const BlockTables& tables, int request,
                                                        Plane plane) {
  const int table = request * tables.sharing.count + number(tables.sharing, plane);
  return tables.indices + __ldg(&tables.indptr[table]);
}
/// Tokens of a table, by its pages.
__device__ __forceinline__ int length_of(const BlockTables& tables, int request, Plane plane,
                                         int slots) {
  const int table = request * tables.sharing.count + number(tables.sharing, plane);
  const int pages = __ldg(&tables.indptr[table + 1]) - __ldg(&tables.indptr[table]);
  return pages == 0 ? 0 : (pages - 1) * slots + __ldg(&tables.last_page_len[table]);
}

struct MoveRange {
  int begin, end;
};
__device__ __forceinline__ MoveRange moves_of(const MoveLists& moves, int request, Plane plane) {
  const int list = request * moves.sets.count + number(moves.sets, plane);
  return {__ldg(&moves.begin[list]), __ldg(&moves.end[list])};
}

constexpr unsigned blocks_for(std::int64_t work, std::int64_t of_a_block) {
  return static_cast<unsigned>((work + of_a_block - 1) / of_a_block);
}

/// Calls launch(Unit{}) for the type that carries unit_bytes at once.
template <class Launch>
void by_unit(const PoolLayout& layout, const char* operation, Launch launch) {
  switch (layout.unit_bytes) {
    case 16:
      return launch(uint4{});
    case 8:
      return launch(uint2{});
    case 4:
      return launch(unsigned{});
    default:
      throw std::invalid_argument(std::string(operation) + ": units have 4, 8 or 16 bytes, not " +
                                  std::to_string(layout.unit_bytes));
  }
}

/// Throws std::invalid_argument unless a block of `threads` can hold whole rows.
inline void check_rows(const PoolLayout& layout, int threads, const char* operation) {
  const bool power_of_two =
      layout.row_units > 0 && (layout.row_units & (layout.row_units - 1)) == 0;
  if (!power_of_two || layout.row_units > threads || layout.slots < 1 || layout.planes() < 1)
    throw std::invalid_argument(std::string(operation) +
                                ": a row has 1, 2, 4, ... units, a block at least a slot, a pool "
                                "at least a plane");
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
