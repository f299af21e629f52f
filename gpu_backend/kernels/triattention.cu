// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 128, kBlocks = 3, kWarps = kThreads / 32;
constexpr int kKeys = 4;                      // of a lane, that share each load of weights
constexpr int kSlice = 512, kMaxSlices = 64;  // slots, of which a block has weights at least

/// Slots that a warp has at a time: a lane's keys are kKeys rows of the warp apart.
template <int kDim>
constexpr int tile_slots = kKeys* RowLanes<kDim>::rows;

/// The query group in parts, so that the weights of one lie in shared memory.
struct GroupParts {
  int parts, members;  // members of all parts but the last, which may have fewer
};

/// Sums each of four numbers over the lanes of a row: a lane gets that of number lane % 4. Of each
/// pair a lane gives away the number that its neighbour goes on with: four shuffles where four sums
/// one by one take twelve.
template <int kDim>
__device__ __forceinline__ float own_row_sum(const float (&x)[kKeys], int lane) {
  static_assert(kKeys == 4 && RowLanes<kDim>::lanes >= 4);
  const bool odd = lane % 2 != 0, upper = lane / 2 % 2 != 0;
  float pair[2];
#pragma unroll
  for (int i = 0; i < 2; ++i)
    pair[i] = (odd ? x[2 * i + 1] : x[2 * i]) +
              __shfl_xor_sync(0xFFFFFFFFu, odd ? x[2 * i] : x[2 * i + 1], 1);
  float sum =
      (upper ? pair[1] : pair[0]) + __shfl_xor_sync(0xFFFFFFFFu, upper ? pair[0] : pair[1], 2);
#pragma unroll
  for (int o = 4; o < RowLanes<kDim>::lanes; o *= 2)
    sum += __shfl_xor_sync(0xFFFFFFFFu, sum, o);
  return sum;
}

__device__ __forceinline__ float4 quad(const float* p) {
  return *reinterpret_cast<const float4*>(p);
}
__device__ __forceinline__ float4 quad(const Eight& eight, int half) {
  const float* const v = eight.v + 4 * half;
  return {v[0], v[1], v[2], v[3]};
}
__device__ __forceinline__ float dot(float4 a, float4 b, float sum) {
  return __fmaf_rn(a.x, b.x, __fmaf_rn(a.y, b.y, __fmaf_rn(a.z, b.z, __fmaf_rn(a.w, b.w, sum))));
}

/// Grid: (slices of a table by parts of a query group, (layer, KV head)s, requests). The weights of
/// the part lie in shared memory and a lane's keys in registers, so that each weight that is loaded
/// meets kKeys keys of a lane and a key is read once for the part. |k| is n2 * rsqrt(n2): one
/// instruction of the special function unit, where sqrt would take a dozen others.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    triattention_kernel(__grid_constant__ const TriAttentionScores op,
                        __grid_constant__ const GroupParts split) {
  constexpr int kBands = kDim / 2;
  float* const weights = simt::dynamic_shared<float>();  // [member][(2 * distances + 1)][band]
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane = plane_of_keys(int(blockIdx.y), layout);
  const int request = int(blockIdx.z), group = op.query_heads / layout.heads;
  const int row = (2 * op.distances + 1) * kBands;  // weights of a member
  const int first_member = int(blockIdx.x) % split.parts * split.members;
  const int members = min(split.members, group - first_member);
  const std::int64_t first_query =
      (std::int64_t{request} * layout.layers + plane.layer) * op.query_heads + plane.head * group +
      first_member;
  // Each row in two halves, of the first and the last four of a lane's eight bands: so a lane's
  // four lie beside its neighbour's, and no bank is asked twice.
  const auto* const given = reinterpret_cast<const float4*>(op.weights + first_query * row);
  for (int i = int(threadIdx.x); i < members * row / 4; i += kThreads) {
    const int in_row = i % (kBands / 4);
    reinterpret_cast<float4*>(weights)[i - in_row + in_row % 2 * (kBands / 8) + in_row / 2] =
        __ldg(&given[i]);
  }
  __syncthreads();

  const PlaneReader<Rows, kDim> keys(op.rows, request, plane);
  const RowLanes<kDim> at;
  constexpr int kRows = RowLanes<kDim>::rows, kTile = tile_slots<kDim>;
  const int slices = int(gridDim.x) / split.parts;
  const int warp = int(blockIdx.x) / split.parts * kWarps + int(threadIdx.x) / 32;
  // The bound is the same for all lanes of a warp: its shuffles name all of them.
  for (int first = warp * kTile; first < keys.length(); first += slices * kWarps * kTile) {
    HalfRows key[kKeys];
    Eight moduli[kKeys];
#pragma unroll
    for (int j = 0; j < kKeys; ++j)
      key[j] = keys.read(first + j * kRows + at.row, at.lane);
#pragma unroll
    for (int j = 0; j < kKeys; ++j)
#pragma unroll
      for (int i = 0; i < 8; ++i) {
        const float re = key[j].first.v[i], im = key[j].second.v[i];
        const float n2 = __fmaf_rn(re, re, im * im);
        moduli[j].v[i] = n2 * simt::fast_rsqrt(fmaxf(n2, 1e-30f));
      }
    const int own_slot = first + at.lane % kKeys * kRows + at.row;
    for (int member = 0; member < members; ++member) {
      const float* const mine = weights + member * row + at.lane * 4;
      float norms[kKeys] = {};
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float4 w = quad(mine + 2 * op.distances * kBands + half * (kBands / 2));
#pragma unroll
        for (int j = 0; j < kKeys; ++j)
          norms[j] = dot(w, quad(moduli[j], half), norms[j]);
      }
      float best = op.distances == 0 ? own_row_sum<kDim>(norms, at.lane) : -INFINITY;
#pragma unroll 1
      for (int d = 0; d < op.distances; ++d) {
        float sums[kKeys];
#pragma unroll
        for (int j = 0; j < kKeys; ++j)
          sums[j] = norms[j];
#pragma unroll
        for (int half = 0; half < 2; ++half) {
          const float* const pair = mine + 2 * d * kBands + half * (kBands / 2);
          const float4 re = quad(pair), im = quad(pair + kBands);
#pragma unroll
          for (int j = 0; j < kKeys; ++j)
            sums[j] =
                dot(re, quad(key[j].first, half), dot(im, quad(key[j].second, half), sums[j]));
        }
        best = fmaxf(best, own_row_sum<kDim>(sums, at.lane));
      }
      if (at.lane < kKeys && own_slot < keys.length())
        op.scores[(first_query + member) * op.stride + own_slot] = best * op.rows.key_scale;
    }
  }
}

/// So many members a part that kBlocks blocks find room on a multiprocessor, each with the kilobyte
/// that the system takes; if not even one does, one.
GroupParts parts_of(const TriAttentionScores& op, int group) {
  const std::size_t of_member =
      std::size_t(2 * op.distances + 1) * std::size_t(op.rows.head_dim / 2) * sizeof(float);
  const std::size_t limit = simt::largest_dynamic_shared();
  if (of_member > limit)
    throw std::invalid_argument(
        "TriAttentionScores: the weights of a query head of " + std::to_string(op.rows.head_dim) +
        " elements for " + std::to_string(op.distances) + " distances take " +
        std::to_string(of_member) + " bytes of shared memory, and a block of this device has " +
        std::to_string(limit) +
        " at most: score fewer distances at a time, or fold their mean into one");
  const auto fit = int((limit / kBlocks - 1024) / of_member);
  const auto parts = int(blocks_for(group, fit > 1 ? fit : 1));
  return {parts, int(blocks_for(group, parts))};
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
        const GroupParts split = parts_of(op, op.query_heads / layout.heads);
        const std::size_t shared = std::size_t(split.members) * std::size_t(2 * op.distances + 1) *
                                   (kDim / 2) * sizeof(float);
        const unsigned slices = blocks_for(op.stride, kSlice);
        simt::launch(
            {dim3((slices < kMaxSlices ? slices : kMaxSlices) * unsigned(split.parts),
                  unsigned(layout.layers * layout.heads), unsigned(op.rows.tables.requests)),
             kThreads, shared, stream},
            triattention_kernel<decltype(rows), kDim>, op, split);
      });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
