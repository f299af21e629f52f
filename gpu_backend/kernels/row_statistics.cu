// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    statistics_kernel(__grid_constant__ const RowStatistics op) {
  const SlotLanes<kDim, kWarps> at(op.rows.pool.layout);
  const PlaneReader<Rows, kDim> k(op.rows, at.request, at.plane);
  float result = 0.0f;
  if (op.statistic == RowStatistic::negative_key_norm) {
    result = -row_norm<kDim>(k.read(at.slot, at.lane)) * op.rows.key_scale;
  } else {
    const PlaneReader<Rows, kDim> v(op.rows, at.request, {at.plane.layer, 1, at.plane.head});
    const HalfRows value = v.read(at.slot, at.lane);
    if (op.statistic == RowStatistic::value_over_key_norm) {
      const float key_norm = row_norm<kDim>(k.read(at.slot, at.lane)) * op.rows.key_scale;
      const float value_norm = row_norm<kDim>(value) * op.rows.value_scale;
      result = key_norm > 0.0f ? value_norm / key_norm : 0.0f;
    } else {
      float low = INFINITY, high = -INFINITY;
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        low = fminf(low, fminf(value.first.v[i], value.second.v[i]));
        high = fmaxf(high, fmaxf(value.first.v[i], value.second.v[i]));
      }
#pragma unroll
      for (int o = kDim / 32; o > 0; o >>= 1) {
        low = fminf(low, __shfl_xor_sync(0xFFFFFFFFu, low, o));
        high = fmaxf(high, __shfl_xor_sync(0xFFFFFFFFu, high, o));
      }
      result = (high - low) * op.rows.value_scale;
    }
  }
  if (at.lane == 0 && at.slot < k.length()) op.scores[at.set * op.stride + at.slot] = result;
}

}  // namespace

void run(const RowStatistics& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  if (layout.kinds != 2 && op.statistic != RowStatistic::negative_key_norm)
    throw std::invalid_argument("RowStatistics: needs V");
  by_element(layout, op.rows.element, op.rows.head_dim, "RowStatistics", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    simt::launch({SlotLanes<kDim, kWarps>::grid(op.rows, op.stride), kThreads, 0, stream},
                 statistics_kernel<decltype(rows), kDim>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
