// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

/// Where a (request, layer, KV head) keeps its keys of length 1.
__device__ __forceinline__ float* unit_keys_of(const KeyRedundancy& op, int dim) {
  return op.unit_keys + (std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * op.stride * dim;
}
__device__ __forceinline__ std::int64_t first_score(const KeyRedundancy& op) {
  return (std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * op.stride;
}

/// Grids: (slots, (layer, KV head)s, requests). The length of a key is 1e-8 at least.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    unit_keys_kernel(__grid_constant__ const KeyRedundancy op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane{int(blockIdx.y) / layout.heads, 0, int(blockIdx.y) % layout.heads};
  const PlaneReader<Rows, kDim> keys(op.rows, int(blockIdx.z), plane);
  const RowLanes<kDim> at;
  const int slot =
      (int(blockIdx.x) * kWarps + int(threadIdx.x) / 32) * RowLanes<kDim>::rows + at.row;
  const HalfRows key = keys.read(slot, at.lane);
  const float by = 1.0f / fmaxf(row_norm<kDim>(key), 1e-8f);
  if (slot >= keys.length()) return;
  float* const row = unit_keys_of(op, kDim) + std::int64_t{slot} * kDim;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    row[at.lane * 8 + i] = key.first.v[i] * by;
    row[kDim / 2 + at.lane * 8 + i] = key.second.v[i] * by;
  }
}

template <int kDim>
__device__ __forceinline__ float cosine(const float* keys, const HalfRows& mine, int other,
                                        int lane) {
  return row_sum<kDim>(dot(mine, load_half_rows<kDim>(keys + std::int64_t{other} * kDim, lane)));
}

/// Of each row, the last column above the threshold.
template <int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    left_out_kernel(__grid_constant__ const KeyRedundancy op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane{int(blockIdx.y) / layout.heads, 0, int(blockIdx.y) % layout.heads};
  const int length = length_of(op.rows.tables, int(blockIdx.z), plane, layout.slots);
  const RowLanes<kDim> at;
  const int row =
      (int(blockIdx.x) * kWarps + int(threadIdx.x) / 32) * RowLanes<kDim>::rows + at.row;
  if (length == 0) return;
  const float* const keys = unit_keys_of(op, kDim);
  const HalfRows mine =
      load_half_rows<kDim>(keys + std::int64_t{min(row, length - 1)} * kDim, at.lane);
  int last = 0;
  for (int column = 0; column < length; ++column) {
    const float c = cosine<kDim>(keys, mine, column, at.lane);
    if (column != row && c > op.threshold) last = column;
  }
  if (at.lane == 0 && row < length) op.left_out[first_score(op) + row] = last;
}

/// Of each column, the mean over all rows of what is left.
template <int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    mean_kernel(__grid_constant__ const KeyRedundancy op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane{int(blockIdx.y) / layout.heads, 0, int(blockIdx.y) % layout.heads};
  const int length = length_of(op.rows.tables, int(blockIdx.z), plane, layout.slots);
  const RowLanes<kDim> at;
  const int column =
      (int(blockIdx.x) * kWarps + int(threadIdx.x) / 32) * RowLanes<kDim>::rows + at.row;
  if (length == 0) return;
  const float* const keys = unit_keys_of(op, kDim);
  const HalfRows mine =
      load_half_rows<kDim>(keys + std::int64_t{min(column, length - 1)} * kDim, at.lane);
  float sum = 0.0f;
  for (int row = 0; row < length; ++row) {
    const float c = cosine<kDim>(keys, mine, row, at.lane);
    if (row != column && __ldg(&op.left_out[first_score(op) + row]) != column) sum += c;
  }
  if (at.lane == 0 && column < length) op.scores[first_score(op) + column] = sum / float(length);
}

}  // namespace

void run(const KeyRedundancy& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  by_element(layout, op.rows.element, op.rows.head_dim, "KeyRedundancy", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    const simt::Launch how{
        dim3(blocks_for(op.stride, kWarps * RowLanes<kDim>::rows),
             unsigned(layout.layers * layout.heads), unsigned(op.rows.tables.requests)),
        kThreads, 0, stream};
    simt::launch(how, unit_keys_kernel<decltype(rows), kDim>, op);
    simt::launch(how, left_out_kernel<kDim>, op);
    simt::launch(how, mean_kernel<kDim>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
