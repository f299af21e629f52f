// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

/// Where a (request, layer, KV head) keeps its keys of length 1.
__device__ __forceinline__ float* unit_keys_of(const KeyRedundancy& op, std::int64_t set, int dim) {
  return op.unit_keys + set * op.stride * dim;
}

/// The length of a key is 1e-8 at least.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    unit_keys_kernel(__grid_constant__ const KeyRedundancy op) {
  const SlotLanes<kDim, kWarps> at(op.rows.pool.layout);
  const PlaneReader<Rows, kDim> keys(op.rows, at.request, at.plane);
  const HalfRows key = keys.read(at.slot, at.lane);
  const float by = 1.0f / fmaxf(row_norm<kDim>(key), 1e-8f);
  if (at.slot >= keys.length()) return;
  float* const row = unit_keys_of(op, at.set, kDim) + std::int64_t{at.slot} * kDim;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    row[at.lane * 8 + i] = key.first.v[i] * by;
    row[kDim / 2 + at.lane * 8 + i] = key.second.v[i] * by;
  }
}

/// A thread's own key beside all others of its table.
template <int kDim>
class Cosines {
 public:
  __device__ __forceinline__ Cosines(const KeyRedundancy& op, const SlotLanes<kDim, kWarps>& at,
                                     int length)
      : keys_(unit_keys_of(op, at.set, kDim)),
        lane_(at.lane),
        mine_(load(min(at.slot, length - 1))) {}
  __device__ __forceinline__ float to(int slot) const {
    return row_sum<kDim>(dot(mine_, load(slot)));
  }

 private:
  __device__ __forceinline__ HalfRows load(int slot) const {
    return load_half_rows<kDim>(keys_ + std::int64_t{slot} * kDim, lane_);
  }

  const float* keys_;
  int lane_;
  HalfRows mine_;
};

/// Of each row, the last column above the threshold.
template <int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    left_out_kernel(__grid_constant__ const KeyRedundancy op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const SlotLanes<kDim, kWarps> at(layout);
  const int length = length_of(op.rows.tables, at.request, at.plane, layout.slots);
  if (length == 0) return;
  const Cosines<kDim> cosines(op, at, length);
  int last = op.first_if_none ? 0 : -1;
  for (int column = 0; column < length; ++column) {
    const float c = cosines.to(column);
    if (column != at.slot && c > op.threshold) last = column;
  }
  if (at.lane == 0 && at.slot < length) op.left_out[at.set * op.stride + at.slot] = last;
}

/// Of each column, the mean over all rows of what is left.
template <int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    mean_kernel(__grid_constant__ const KeyRedundancy op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const SlotLanes<kDim, kWarps> at(layout);
  const int length = length_of(op.rows.tables, at.request, at.plane, layout.slots);
  if (length == 0) return;
  const Cosines<kDim> cosines(op, at, length);
  const std::int32_t* const left_out = op.left_out + at.set * op.stride;
  float sum = 0.0f;
  for (int row = 0; row < length; ++row) {
    const float c = cosines.to(row);
    if (row != at.slot && __ldg(&left_out[row]) != at.slot) sum += c;
  }
  if (at.lane == 0 && at.slot < length)
    op.scores[at.set * op.stride + at.slot] = sum / float(length);
}

}  // namespace

void run(const KeyRedundancy& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  by_element(layout, op.rows.element, op.rows.head_dim, "KeyRedundancy", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    const simt::Launch how{SlotLanes<kDim, kWarps>::grid(op.rows, op.stride), kThreads, 0, stream};
    simt::launch(how, unit_keys_kernel<decltype(rows), kDim>, op);
    simt::launch(how, left_out_kernel<kDim>, op);
    simt::launch(how, mean_kernel<kDim>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
