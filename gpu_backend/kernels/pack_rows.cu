// SPDX-License-Identifier: Apache-2.0
// Survivors close ranks in place, order kept. No __restrict__ and no __ldg on the pool: it is read
// and written by these kernels.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 128, kBatch = 8;

/// Grid: (columns, 1, requests). A thread walks one unit of every row of a plane, so every hazard
/// joins two accesses of one thread; within a batch all reads come first. Neighbouring threads have
/// neighbouring units: a warp reads whole rows.
template <class Unit>
__global__ void __launch_bounds__(kThreads) columns_kernel(__grid_constant__ const PackRows op) {
  const PoolLayout& layout = op.pool.layout;
  const int column = int(blockIdx.x * kThreads + threadIdx.x);
  if (column >= layout.planes() * layout.row_units) return;
  const Plane plane = plane_of(column / layout.row_units, layout);
  const std::int32_t* const table = table_of(op.tables, int(blockIdx.z), plane);
  const MoveRange moves = moves_of(op.moves, int(blockIdx.z), plane);
  Unit* const base = static_cast<Unit*>(op.pool.base) + plane_offset(layout, plane) +
                     column % layout.row_units * layout.per_unit;
  for (int first = moves.begin; first < moves.end; first += kBatch) {
    Unit held[kBatch];
#pragma unroll
    for (int u = 0; u < kBatch; ++u)
      if (first + u < moves.end)
        held[u] = base[slot_offset(layout, table, __ldg(&op.moves.source[first + u]))];
#pragma unroll
    for (int u = 0; u < kBatch; ++u)
      if (first + u < moves.end)
        base[slot_offset(layout, table, __ldg(&op.moves.target[first + u]))] = held[u];
  }
}

/// Grid: (1, planes, requests); block: (units of a row, rows of a tile). All threads run the same
/// number of tiles. No barrier is needed behind the writes: a later tile reads rows at or beyond
/// its own first target, and an earlier one wrote below that.
template <class Unit>
__global__ void tiles_kernel(__grid_constant__ const PackRows op) {
  const PoolLayout& layout = op.pool.layout;
  const Plane plane = plane_of(int(blockIdx.y), layout);
  const std::int32_t* const table = table_of(op.tables, int(blockIdx.z), plane);
  const MoveRange moves = moves_of(op.moves, int(blockIdx.z), plane);
  Unit* const base = static_cast<Unit*>(op.pool.base) + plane_offset(layout, plane) +
                     int(threadIdx.x) * layout.per_unit;
  for (int first = moves.begin; first < moves.end; first += int(blockDim.y)) {
    const int j = first + int(threadIdx.y);
    Unit held{};
    if (j < moves.end) held = base[slot_offset(layout, table, __ldg(&op.moves.source[j]))];
    __syncthreads();  // all reads of this tile before any write of it
    if (j < moves.end) base[slot_offset(layout, table, __ldg(&op.moves.target[j]))] = held;
  }
}

}  // namespace

void run(const PackRows& op, Stream stream) {
  const PoolLayout& layout = op.pool.layout;
  check_rows(layout, kThreads, "PackRows");
  if (op.moves.longest <= 0 || op.tables.requests == 0) return;
  const unsigned requests = unsigned(op.tables.requests), planes = unsigned(layout.planes());
  const int tile = op.tile_rows > 0 ? op.tile_rows : 256 / layout.row_units;
  by_unit(layout, "PackRows", [&](auto unit) {
    using Unit = decltype(unit);
    if (op.method == PackMethod::columns)
      simt::launch(
          {dim3(blocks_for(std::int64_t{planes} * layout.row_units, kThreads), 1, requests),
           kThreads, 0, stream},
          columns_kernel<Unit>, op);
    else
      simt::launch(
          {dim3(1, planes, requests), dim3(unsigned(layout.row_units), unsigned(tile)), 0, stream},
          tiles_kernel<Unit>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
