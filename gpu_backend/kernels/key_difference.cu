// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

template <int kDim>
__device__ __forceinline__ float inverse_norm(const HalfRows& row) {
  return 1.0f / fmaxf(row_norm<kDim>(row), 1e-12f);
}

template <int kDim>
struct WarpSums {
  float sums[kWarps][kDim];
};

/// Grid: ((layer, KV head)s, requests). A lane sums its elements of the rows that its warp reads,
/// in the same order in every run.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    anchor_kernel(__grid_constant__ const KeyDifference op) {
  auto& shared = simt::shared<WarpSums<kDim>>();
  const PlaneReader<Rows, kDim> keys(op.rows, int(blockIdx.y),
                                     plane_of_keys(int(blockIdx.x), op.rows.pool.layout));
  const RowLanes<kDim> at;
  constexpr int kRows = RowLanes<kDim>::rows, kLanes = RowLanes<kDim>::lanes;
  const int warp = int(threadIdx.x) / 32;
  HalfRows sum{};
  for (int first = warp * kRows; first < keys.length(); first += kWarps * kRows) {
    const HalfRows key = keys.read(first + at.row, at.lane);
    const float by = inverse_norm<kDim>(key);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum.first.v[i] = __fmaf_rn(key.first.v[i], by, sum.first.v[i]);
      sum.second.v[i] = __fmaf_rn(key.second.v[i], by, sum.second.v[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
#pragma unroll
    for (int o = kLanes; o < 32; o <<= 1) {
      sum.first.v[i] += __shfl_xor_sync(0xFFFFFFFFu, sum.first.v[i], o);
      sum.second.v[i] += __shfl_xor_sync(0xFFFFFFFFu, sum.second.v[i], o);
    }
    if (at.row == 0) {
      shared.sums[warp][at.lane * 8 + i] = sum.first.v[i];
      shared.sums[warp][kDim / 2 + at.lane * 8 + i] = sum.second.v[i];
    }
  }
  __syncthreads();
  for (int d = int(threadIdx.x); d < kDim; d += kThreads) {
    float anchor = 0.0f;
    for (int w = 0; w < kWarps; ++w)
      anchor += shared.sums[w][d];
    op.anchors[(std::int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * kDim + d] = anchor;
  }
}

template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    difference_kernel(__grid_constant__ const KeyDifference op) {
  const SlotLanes<kDim, kWarps> at(op.rows.pool.layout);
  const PlaneReader<Rows, kDim> keys(op.rows, at.request, at.plane);
  const HalfRows key = keys.read(at.slot, at.lane);
  const HalfRows anchor = load_half_rows<kDim>(op.anchors + at.set * kDim, at.lane);
  const float cosine =
      row_sum<kDim>(dot(key, anchor)) * inverse_norm<kDim>(key) * inverse_norm<kDim>(anchor);
  if (at.lane == 0 && at.slot < keys.length()) op.scores[at.set * op.stride + at.slot] = -cosine;
}

}  // namespace

void run(const KeyDifference& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  by_element(layout, op.rows.element, op.rows.head_dim, "KeyDifference", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    const dim3 grid = SlotLanes<kDim, kWarps>::grid(op.rows, op.stride);
    simt::launch({dim3(grid.y, grid.z), kThreads, 0, stream}, anchor_kernel<decltype(rows), kDim>,
                 op);
    simt::launch({grid, kThreads, 0, stream}, difference_kernel<decltype(rows), kDim>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
