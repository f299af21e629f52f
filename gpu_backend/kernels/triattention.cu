// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32, kMaxBlocks = 256;

/// A lane's eight weights of a row in shared memory.
template <int kBands>
__device__ __forceinline__ Eight halves(const float* row) {
  const float4 a = *reinterpret_cast<const float4*>(row);
  const float4 b = *reinterpret_cast<const float4*>(row + kBands / 2);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

/// Grid: (parts of a table, (layer, KV head)s, requests). The weights of the head's query group lie
/// in shared memory; a key is read once for all of them. |k| is n2 * rsqrt(n2): one instruction of
/// the special function unit, where sqrt would take a dozen others.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    triattention_kernel(__grid_constant__ const TriAttentionScores op) {
  constexpr int kBands = kDim / 2;
  float* const weights =
      simt::dynamic_shared<float>();  // [group member][(2 * distances + 1)][band]
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane{int(blockIdx.y) / layout.heads, 0, int(blockIdx.y) % layout.heads};
  const int request = int(blockIdx.z), group = op.query_heads / layout.heads;
  const int rows_of_weights = 2 * op.distances + 1;
  const std::int64_t first_query =
      (std::int64_t{request} * layout.layers + plane.layer) * op.query_heads + plane.head * group;
  const int floats = group * rows_of_weights * kBands;
  // Each row in two halves, of the first and the last four of a lane's eight bands: so a lane's
  // four lie beside its neighbour's, and no bank is asked twice.
  for (int i = int(threadIdx.x); i < floats; i += kThreads) {
    const int band = i % kBands;
    weights[i - band + band / 4 % 2 * (kBands / 2) + band / 8 * 4 + band % 4] =
        __ldg(&op.weights[first_query * rows_of_weights * kBands + i]);
  }
  __syncthreads();

  const PlaneReader<Rows, kDim> keys(op.rows, request, plane);
  const RowLanes<kDim> at;
  constexpr int kRows = RowLanes<kDim>::rows;
  const int warp = int(blockIdx.x) * kWarps + int(threadIdx.x) / 32;
  // The bound is the same for all lanes of a warp: its shuffles name all of them.
  for (int first = warp * kRows; first < keys.length(); first += int(gridDim.x) * kWarps * kRows) {
    const int slot = first + at.row;
    const HalfRows key = keys.read(slot, at.lane);
    Eight moduli;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      const float n2 = __fmaf_rn(key.first.v[i], key.first.v[i], key.second.v[i] * key.second.v[i]);
      moduli.v[i] = n2 * simt::fast_rsqrt(fmaxf(n2, 1e-30f));
    }
    for (int member = 0; member < group; ++member) {
      const float* const mine = weights + member * rows_of_weights * kBands + at.lane * 4;
      const Eight w = halves<kBands>(mine + 2 * op.distances * kBands);
      float norms = 0.0f;
#pragma unroll
      for (int i = 0; i < 8; ++i)
        norms = __fmaf_rn(w.v[i], moduli.v[i], norms);
      float best = op.distances == 0 ? row_sum<kDim>(norms) : -INFINITY;
      for (int d = 0; d < op.distances; ++d) {
        const Eight re = halves<kBands>(mine + 2 * d * kBands);
        const Eight im = halves<kBands>(mine + (2 * d + 1) * kBands);
        float sum = norms;
#pragma unroll
        for (int i = 0; i < 8; ++i)
          sum = __fmaf_rn(re.v[i], key.first.v[i], __fmaf_rn(im.v[i], key.second.v[i], sum));
        best = fmaxf(best, row_sum<kDim>(sum));
      }
      if (at.lane == 0 && slot < keys.length())
        op.scores[(first_query + member) * op.stride + slot] = best * op.rows.key_scale;
    }
  }
}

}  // namespace

void run(const TriAttentionScores& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.query_heads < 1 || op.query_heads % layout.heads != 0 || op.distances < 0)
    throw std::invalid_argument(
        "TriAttentionScores: needs a multiple of the KV heads as query heads");
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  by_element(
      layout, op.rows.element, op.rows.head_dim, "TriAttentionScores", [&](auto rows, auto dim) {
        constexpr int kDim = decltype(dim)::value;
        const std::size_t shared = std::size_t(op.query_heads / layout.heads) *
                                   std::size_t(2 * op.distances + 1) * (kDim / 2) * sizeof(float);
        const unsigned parts = blocks_for(op.stride, kWarps * RowLanes<kDim>::rows * 2);
        simt::launch(
            {dim3(parts < kMaxBlocks ? parts : kMaxBlocks, unsigned(layout.layers * layout.heads),
                  unsigned(op.rows.tables.requests)),
             kThreads, shared, stream},
            triattention_kernel<decltype(rows), kDim>, op);
      });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
