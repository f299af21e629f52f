// SPDX-License-Identifier: Apache-2.0
// Rows that move independently of each other: a warp reads whole rows, a thread has eight loads in
// flight before its first store.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBatch = 8;

/// Grid: (batches of a list's moves, planes, requests). No __restrict__ and no __ldg on the pool:
/// it is read and written by this kernel.
template <class Unit>
__global__ void __launch_bounds__(kThreads) move_kernel(__grid_constant__ const MoveRows op) {
  const PoolLayout& layout = op.pool.layout;
  const Plane plane = plane_of(int(blockIdx.y), layout);
  const std::int32_t* const table = table_of(op.tables, int(blockIdx.z), plane);
  const MoveRange moves = moves_of(op.moves, int(blockIdx.z), plane);
  const int rows = kThreads / layout.row_units;
  const int first =
      moves.begin + int(blockIdx.x) * rows * kBatch + int(threadIdx.x) / layout.row_units;
  Unit* const base = static_cast<Unit*>(op.pool.base) + plane_offset(layout, plane) +
                     int(threadIdx.x) % layout.row_units * layout.per_unit;
  Unit held[kBatch];
#pragma unroll
  for (int u = 0; u < kBatch; ++u) {
    const int j = first + u * rows;
    if (j < moves.end) held[u] = base[slot_offset(layout, table, __ldg(&op.moves.source[j]))];
  }
#pragma unroll
  for (int u = 0; u < kBatch; ++u) {
    const int j = first + u * rows;
    if (j < moves.end) base[slot_offset(layout, table, __ldg(&op.moves.target[j]))] = held[u];
  }
}

/// As move_kernel, but what is read is not written: loads may go past the caches.
template <class Unit>
__global__ void __launch_bounds__(kThreads) gather_kernel(__grid_constant__ const GatherRows op) {
  const PoolLayout &source = op.from.layout, &target = op.to.layout;
  const Plane plane = plane_of(int(blockIdx.y), source);
  const std::int32_t* const from_table = table_of(op.from_tables, int(blockIdx.z), plane);
  const std::int32_t* const to_table = table_of(op.to_tables, int(blockIdx.z), plane);
  const MoveRange moves = moves_of(op.moves, int(blockIdx.z), plane);
  const int rows = kThreads / source.row_units, unit = int(threadIdx.x) % source.row_units;
  const int first =
      moves.begin + int(blockIdx.x) * rows * kBatch + int(threadIdx.x) / source.row_units;
  const Unit* __restrict__ const from =
      static_cast<const Unit*>(op.from.base) + plane_offset(source, plane) + unit * source.per_unit;
  Unit* __restrict__ const to =
      static_cast<Unit*>(op.to.base) + plane_offset(target, plane) + unit * target.per_unit;
  Unit held[kBatch];
#pragma unroll
  for (int u = 0; u < kBatch; ++u) {
    const int j = first + u * rows;
    if (j < moves.end)
      held[u] = __ldcs(&from[slot_offset(source, from_table, __ldg(&op.moves.source[j]))]);
  }
#pragma unroll
  for (int u = 0; u < kBatch; ++u) {
    const int j = first + u * rows;
    if (j < moves.end)
      __stcs(&to[slot_offset(target, to_table, __ldg(&op.moves.target[j]))], held[u]);
  }
}

dim3 grid_of(const PoolLayout& layout, const BlockTables& tables, const MoveLists& moves) {
  return dim3(blocks_for(moves.longest, kThreads / layout.row_units * kBatch),
              unsigned(layout.planes()), unsigned(tables.requests));
}

}  // namespace

void run(const MoveRows& op, Stream stream) {
  check_rows(op.pool.layout, kThreads, "MoveRows");
  if (op.moves.longest <= 0 || op.tables.requests == 0) return;
  by_unit(op.pool.layout, "MoveRows", [&](auto unit) {
    simt::launch({grid_of(op.pool.layout, op.tables, op.moves), kThreads, 0, stream},
                 move_kernel<decltype(unit)>, op);
  });
}

void run(const GatherRows& op, Stream stream) {
  check_rows(op.from.layout, kThreads, "GatherRows");
  if (op.from.layout.row_units != op.to.layout.row_units ||
      op.from.layout.unit_bytes != op.to.layout.unit_bytes ||
      op.from.layout.planes() != op.to.layout.planes() ||
      op.from_tables.requests != op.to_tables.requests)
    throw std::invalid_argument("GatherRows: the two pools differ in their rows or planes");
  if (op.moves.longest <= 0 || op.from_tables.requests == 0) return;
  by_unit(op.from.layout, "GatherRows", [&](auto unit) {
    simt::launch({grid_of(op.from.layout, op.from_tables, op.moves), kThreads, 0, stream},
                 gather_kernel<decltype(unit)>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
