// SPDX-License-Identifier: Apache-2.0
// Whole blocks from place to place, and rows of tokens into and out of their slots.
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/implementations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256;

/// Grid: (blocks, planes). Threads go over the units of the block's slots.
template <class Unit>
__global__ void __launch_bounds__(kThreads)
    copy_blocks_kernel(__grid_constant__ const CopyBlocks op) {
  const PoolLayout &source = op.from.layout, &target = op.to.layout;
  const Plane plane = plane_of(int(blockIdx.y), source);
  const std::int64_t from_block = __ldg(&op.from_blocks[blockIdx.x]);
  const std::int64_t to_block = __ldg(&op.to_blocks[blockIdx.x]);
  const Unit* __restrict__ const from = static_cast<const Unit*>(op.from.base) +
                                        from_block * source.block + plane_offset(source, plane);
  Unit* __restrict__ const to =
      static_cast<Unit*>(op.to.base) + to_block * target.block + plane_offset(target, plane);
  const int units = __ldg(&op.slots[blockIdx.x]) * source.row_units;
  for (int i = int(threadIdx.x); i < units; i += kThreads) {
    const int slot = i / source.row_units, unit = i % source.row_units;
    __stcs(&to[slot * target.per_slot + unit * target.per_unit],
           __ldcs(&from[slot * source.per_slot + unit * source.per_unit]));
  }
}

/// Grid: (groups of rows). A thread carries one unit; rows are numbered [token][plane], so that a
/// warp touches the tokens' rows in one piece.
template <class Unit, class Copy>
__device__ __forceinline__ void carry_rows(const Pool& pool, const std::int64_t* slot_mapping,
                                           int tokens, const Sharing& sharing, Copy copy) {
  const PoolLayout& layout = pool.layout;
  const std::int64_t i = std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::int64_t row = i / layout.row_units;
  const int unit = int(i % layout.row_units), token = int(row / layout.planes());
  if (token >= tokens) return;
  const Plane plane = plane_of(int(row % layout.planes()), layout);
  const std::int64_t slot =
      __ldg(&slot_mapping[std::int64_t{token} * sharing.count + number(sharing, plane)]);
  if (slot < 0) return;
  Unit* const at = static_cast<Unit*>(pool.base) + slot / layout.slots * layout.block +
                   plane_offset(layout, plane) + slot % layout.slots * layout.per_slot +
                   unit * layout.per_unit;
  copy(*at, i);
}

template <class Unit>
__global__ void __launch_bounds__(kThreads) append_kernel(__grid_constant__ const AppendRows op) {
  const Unit* __restrict__ const rows = static_cast<const Unit*>(op.rows);
  carry_rows<Unit>(op.pool, op.slot_mapping, op.tokens, op.sharing,
                   [rows](Unit& at, std::int64_t i) { at = __ldcs(&rows[i]); });
}
template <class Unit>
__global__ void __launch_bounds__(kThreads) read_kernel(__grid_constant__ const ReadRows op) {
  Unit* const rows = static_cast<Unit*>(op.rows);
  carry_rows<Unit>(op.pool, op.slot_mapping, op.tokens, op.sharing,
                   [rows](Unit& at, std::int64_t i) { rows[i] = at; });
}

unsigned grid_of(const PoolLayout& layout, int tokens) {
  return blocks_for(std::int64_t{tokens} * layout.planes() * layout.row_units, kThreads);
}

}  // namespace

void run(const CopyBlocks& op, Stream stream) {
  check_rows(op.from.layout, kThreads, "CopyBlocks");
  if (op.from.layout.row_units != op.to.layout.row_units ||
      op.from.layout.unit_bytes != op.to.layout.unit_bytes ||
      op.from.layout.planes() != op.to.layout.planes())
    throw std::invalid_argument("CopyBlocks: the two pools differ in their rows or planes");
  if (op.count <= 0) return;
  by_unit(op.from.layout, "CopyBlocks", [&](auto unit) {
    simt::launch({dim3(unsigned(op.count), unsigned(op.from.layout.planes())), kThreads, 0, stream},
                 copy_blocks_kernel<decltype(unit)>, op);
  });
}

void run(const AppendRows& op, Stream stream) {
  check_rows(op.pool.layout, kThreads, "AppendRows");
  if (op.tokens <= 0) return;
  by_unit(op.pool.layout, "AppendRows", [&](auto unit) {
    simt::launch({grid_of(op.pool.layout, op.tokens), kThreads, 0, stream},
                 append_kernel<decltype(unit)>, op);
  });
}

void run(const ReadRows& op, Stream stream) {
  check_rows(op.pool.layout, kThreads, "ReadRows");
  if (op.tokens <= 0) return;
  by_unit(op.pool.layout, "ReadRows", [&](auto unit) {
    simt::launch({grid_of(op.pool.layout, op.tokens), kThreads, 0, stream},
                 read_kernel<decltype(unit)>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
