// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/block_reduction.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

/// The slots of a request that are scored: whole partitions that a whole one follows.
struct Scored {
  int begin, end;
};
__device__ __forceinline__ Scored scored_slots(const LagRanks& op, int request, int length) {
  const int begin = op.begin != nullptr ? min(__ldg(&op.begin[request]), length) : 0;
  return {begin, begin + max((length - begin) / op.lag - 1, 0) * op.lag};
}

/// The smallest and the largest number of each channel.
struct Ranges {
  HalfRows low, high;

  __device__ __forceinline__ Ranges() {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      low.first.v[i] = low.second.v[i] = INFINITY;
      high.first.v[i] = high.second.v[i] = -INFINITY;
    }
  }
  __device__ __forceinline__ void add(const HalfRows& lows, const HalfRows& highs) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      low.first.v[i] = fminf(low.first.v[i], lows.first.v[i]);
      low.second.v[i] = fminf(low.second.v[i], lows.second.v[i]);
      high.first.v[i] = fmaxf(high.first.v[i], highs.first.v[i]);
      high.second.v[i] = fmaxf(high.second.v[i], highs.second.v[i]);
    }
  }
};

__device__ __forceinline__ HalfRows of_lane_beside(const HalfRows& row, int distance) {
  HalfRows other;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    other.first.v[i] = __shfl_xor_sync(0xFFFFFFFFu, row.first.v[i], distance);
    other.second.v[i] = __shfl_xor_sync(0xFFFFFFFFu, row.second.v[i], distance);
  }
  return other;
}

template <int kDim>
struct WarpRanges {
  HalfRows low[kWarps][RowLanes<kDim>::lanes], high[kWarps][RowLanes<kDim>::lanes];
};
/// Over the `count` rows from slot `first` on. One barrier.
template <class Rows, int kDim>
__device__ __forceinline__ Ranges ranges_of(const PlaneReader<Rows, kDim>& rows,
                                            const RowLanes<kDim>& at, int first, int count) {
  auto& shared = simt::shared<WarpRanges<kDim>>();
  const int warp = int(threadIdx.x) / 32;
  Ranges mine;
  for (int i = warp * RowLanes<kDim>::rows + at.row; i < count;
       i += kWarps * RowLanes<kDim>::rows) {
    const HalfRows row = rows.read(first + i, at.lane);
    mine.add(row, row);
  }
#pragma unroll
  for (int o = RowLanes<kDim>::lanes; o < 32; o <<= 1)
    mine.add(of_lane_beside(mine.low, o), of_lane_beside(mine.high, o));
  if (at.row == 0) {
    shared.low[warp][at.lane] = mine.low;
    shared.high[warp][at.lane] = mine.high;
  }
  __syncthreads();
  Ranges all;
  for (int w = 0; w < kWarps; ++w)
    all.add(shared.low[w][at.lane], shared.high[w][at.lane]);
  return all;
}

/// Where a number lies between the smallest and the largest; 0 where these are the same.
__device__ __forceinline__ float within(float x, float low, float high) {
  return high > low ? (x - low) / (high - low) : 0.0f;
}

/// The standard deviation, unbiased, of a row's channels by their ranges.
template <int kDim>
__device__ __forceinline__ float deviation(const HalfRows& row, const Ranges& ranges, int lane,
                                           int channels) {
  HalfRows scaled;
  float sum = 0.0f, squares = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    scaled.first.v[i] = within(row.first.v[i], ranges.low.first.v[i], ranges.high.first.v[i]);
    scaled.second.v[i] = within(row.second.v[i], ranges.low.second.v[i], ranges.high.second.v[i]);
    if (lane * 8 + i >= channels / 2) continue;
    sum += scaled.first.v[i] + scaled.second.v[i];
  }
  const float mean = row_sum<kDim>(sum) / float(channels);
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    if (lane * 8 + i >= channels / 2) continue;
    const float first = scaled.first.v[i] - mean, second = scaled.second.v[i] - mean;
    squares = __fmaf_rn(first, first, __fmaf_rn(second, second, squares));
  }
  return sqrtf(row_sum<kDim>(squares) / float(channels - 1));
}

/// Grid: (partitions, [layer][K, V][KV head], requests).
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    shares_kernel(__grid_constant__ const LagRanks op) {
  const PlaneReader<Rows, kDim> rows(op.rows, int(blockIdx.z),
                                     plane_of(int(blockIdx.y), op.rows.pool.layout));
  const Scored scored = scored_slots(op, int(blockIdx.z), rows.length());
  const int first = scored.begin + int(blockIdx.x) * op.lag;
  if (first >= scored.end) return;
  const RowLanes<kDim> at;
  const Ranges ranges = ranges_of(rows, at, first + op.lag, op.lag);
  float* const shares =
      op.shares + (std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * op.stride + first;
  const int channels = op.channels > 0 ? op.channels : kDim;
  // The bound is the same for all lanes of a warp: its shuffles name all of them.
  for (int i = int(threadIdx.x) / 32 * RowLanes<kDim>::rows; i < op.lag;
       i += kWarps * RowLanes<kDim>::rows) {
    const float x =
        deviation<kDim>(rows.read(first + i + at.row, at.lane), ranges, at.lane, channels);
    if (at.lane == 0 && i + at.row < op.lag) shares[i + at.row] = x;
  }
  __syncthreads();
  float largest = -INFINITY, sum = 0.0f;
  for (int i = int(threadIdx.x); i < op.lag; i += kThreads)
    largest = fmaxf(largest, shares[i]);
  largest = block_max<kThreads>(largest);
  for (int i = int(threadIdx.x); i < op.lag; i += kThreads)
    sum += simt::fast_exp(shares[i] - largest);
  sum = block_sum<kThreads>(sum);
  for (int i = int(threadIdx.x); i < op.lag; i += kThreads)
    shares[i] = simt::fast_exp(shares[i] - largest) / sum;
}

/// Grid: (slots, (layer, KV head)s, requests).
__global__ void __launch_bounds__(kThreads, kBlocks)
    ranks_kernel(__grid_constant__ const LagRanks op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const Plane plane = plane_of_keys(int(blockIdx.y), layout);
  const int length = length_of(op.rows.tables, int(blockIdx.z), plane, layout.slots);
  const int slot = int(blockIdx.x * kThreads + threadIdx.x);
  if (slot >= length) return;
  const Scored scored = scored_slots(op, int(blockIdx.z), length);
  float score = float(op.lag);
  if (scored.begin == scored.end) {
    score = float(slot);
  } else if (slot >= scored.begin && slot < scored.end) {
    const std::int64_t planes = layout.planes();
    const float* const keys =
        op.shares +
        (blockIdx.z * planes + (std::int64_t{plane.layer} * 2 * layout.heads + plane.head)) *
            op.stride;
    const float* const values = keys + layout.heads * op.stride;
    const float mine = keys[slot] + values[slot];
    const int first = scored.begin + (slot - scored.begin) / op.lag * op.lag;
    int below = 0;
    for (int i = first; i < first + op.lag; ++i) {
      const float other = keys[i] + values[i];
      below += other < mine || (other == mine && i > slot) ? 1 : 0;
    }
    score = float(below);
  }
  op.scores[(std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) * op.stride + slot] = score;
}

}  // namespace

void run(const LagRanks& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (layout.kinds != 2) throw std::invalid_argument("LagRanks: needs V");
  if (op.lag < 1 || op.channels < 0 || op.channels == 1 || op.channels % 2 != 0 ||
      op.channels > op.rows.head_dim)
    throw std::invalid_argument(
        "LagRanks: a partition has a token at least, a row an even number of channels");
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  const auto requests = unsigned(op.rows.tables.requests);
  by_element(layout, op.rows.element, op.rows.head_dim, "LagRanks", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    simt::launch({dim3(blocks_for(op.stride, op.lag), unsigned(layout.planes()), requests),
                  kThreads, 0, stream},
                 shares_kernel<decltype(rows), kDim>, op);
    simt::launch(
        {dim3(blocks_for(op.stride, kThreads), unsigned(layout.layers * layout.heads), requests),
         kThreads, 0, stream},
        ranks_kernel, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
