// SPDX-License-Identifier: Apache-2.0
// Attention in three or four passes, with its weights written out: logits, what each row of them
// sums to, the weights' sums over queries, and the output. For a window of queries, or an eager
// pass over all of them, chunk by chunk.
#include "gpu_backend/kernels/block_reduction.hpp"
#include "gpu_backend/kernels/implementations.hpp"
#include "gpu_backend/kernels/key_reader.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;

/// Rows of logits that a request's layer has, and query heads of each.
struct HeadRows {
  int rows, members;
};
__device__ __host__ __forceinline__ HeadRows head_rows(const QueryAttention& op) {
  const int group = op.query_heads / op.rows.pool.layout.heads;
  return op.group_max ? HeadRows{op.rows.pool.layout.heads, group} : HeadRows{op.query_heads, 1};
}
/// The KV head's plane that row `index` of [layers][rows] attends to.
__device__ __forceinline__ Plane plane_of_row(const QueryAttention& op, int index, int kind) {
  const HeadRows heads = head_rows(op);
  return {index / heads.rows, kind,
          index % heads.rows * heads.members * op.rows.pool.layout.heads / op.query_heads};
}
__device__ __forceinline__ int end_of(const QueryAttention& op, int request, int length) {
  return op.slot_end != nullptr ? min(length, __ldg(&op.slot_end[request])) : length;
}

/// Grid: (slots, (layer, KV head)s, requests). A key is read once for all queries of the window and
/// all query heads of the group.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    logits_kernel(__grid_constant__ const QueryAttention op) {
  const PoolLayout& layout = op.rows.pool.layout;
  const SlotLanes<kDim, kWarps> at(layout);
  const int request = at.request, slot = at.slot;
  const Plane plane = at.plane;
  const PlaneReader<Rows, kDim> keys(op.rows, request, plane);
  const HalfRows key = keys.read(slot, at.lane);
  int position = slot;
  if (op.slots.positions != nullptr && slot < keys.length())
    position = __ldg(&op.slots.positions[(std::int64_t{request} * op.slots.sets.count +
                                          number(op.slots.sets, plane)) *
                                             op.slots.stride +
                                         slot]);
  if (slot < keys.length() && __ldg(&keys.table()[slot / layout.slots]) < 0) position = -1;
  const bool in = slot < end_of(op, request, keys.length()) && position >= 0;
  const HeadRows heads = head_rows(op);
  const int rows = heads.rows / layout.heads;  // of the KV head
  const std::int64_t first =
      (std::int64_t{request} * layout.layers + plane.layer) * heads.rows + plane.head * rows;
  const float scale = op.scale * op.rows.key_scale;
  for (int q = 0; q < op.window; ++q) {
    const bool visible = in && position <= __ldg(&op.first_position[request]) + q;
    for (std::int64_t row = first; row < first + rows; ++row) {
      float logit = 0.0f;
      for (int member = 0; member < heads.members; ++member) {
        const float* const query =
            op.query + ((row * heads.members + member) * op.window + q) * kDim;
        const float own = row_sum<kDim>(dot(load_half_rows<kDim>(query, at.lane), key));
        logit = member == 0 ? own : fmaxf(logit, own);  // stays NaN if all are
      }
      if (at.lane == 0 && slot < keys.length())
        op.logits[(row * op.window + q) * op.stride + slot] = visible ? logit * scale : -INFINITY;
    }
  }
}

__device__ __forceinline__ int length_of_row(const QueryAttention& op, int request, int row) {
  return length_of(op.rows.tables, request, plane_of_row(op, row, 0), op.rows.pool.layout.slots);
}

/// Grid: (queries, [layers][rows], requests): the largest logit and the sum of exp(logit -
/// largest).
__global__ void __launch_bounds__(kThreads, kBlocks)
    sums_kernel(__grid_constant__ const QueryAttention op) {
  const int request = int(blockIdx.z), row = int(blockIdx.y);
  const int length = length_of_row(op, request, row);
  const std::int64_t number = (std::int64_t{request} * gridDim.y + row) * op.window + blockIdx.x;
  const float* const logits = op.logits + number * op.stride;
  float largest = -INFINITY;
  for (int i = int(threadIdx.x); i < length; i += kThreads)
    largest = fmaxf(largest, logits[i]);
  largest = block_max<kThreads>(largest);
  float sum = 0.0f;
  for (int i = int(threadIdx.x); i < length; i += kThreads)
    if (logits[i] != -INFINITY) sum += simt::fast_exp(logits[i] - largest);
  sum = block_sum<kThreads>(sum);
  if (threadIdx.x == 0) {
    op.statistics[2 * number] = largest;
    op.statistics[2 * number + 1] = sum;
  }
}

/// A weight of a query; 0 where it sees nothing, NaN where a key that it sees was.
__device__ __forceinline__ float weight(float logit, float largest, float sum) {
  return sum == 0.0f ? 0.0f : simt::fast_exp(logit - largest) / sum;
}

/// Grid: (slots, [layers][rows], requests).
__global__ void __launch_bounds__(kThreads, kBlocks)
    columns_kernel(__grid_constant__ const QueryAttention op) {
  const int request = int(blockIdx.z), row = int(blockIdx.y);
  const int slot = int(blockIdx.x * kThreads + threadIdx.x);
  if (slot >= length_of_row(op, request, row)) return;
  const std::int64_t first = (std::int64_t{request} * gridDim.y + row) * op.window;
  float sum = 0.0f;
  for (int q = 0; q < op.window; ++q) {
    const float w =
        weight(op.logits[(first + q) * op.stride + slot], __ldg(&op.statistics[2 * (first + q)]),
               __ldg(&op.statistics[2 * (first + q) + 1]));
    sum = op.squared ? __fmaf_rn(w, w, sum) : sum + w;
  }
  float* const at = &op.column_sums[(std::int64_t{request} * gridDim.y + row) * op.stride + slot];
  *at = op.accumulate ? __fmaf_rn(sum, op.factor, *at) : sum * op.factor;
}

template <int kDim>
struct Sums {
  float sums[kWarps * RowLanes<kDim>::rows][kDim];
};
/// Grid: (queries, [layers][rows], requests); the slots are dealt out to the lanes of rows in turn.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    output_kernel(__grid_constant__ const QueryAttention op) {
  constexpr int kRows = RowLanes<kDim>::rows;
  auto& shared = simt::shared<Sums<kDim>>();
  const int request = int(blockIdx.z), row = int(blockIdx.y);
  const PlaneReader<Rows, kDim> values(op.rows, request, plane_of_row(op, row, 1));
  const RowLanes<kDim> at;
  const int group = int(threadIdx.x) / 32 * kRows + at.row;
  const std::int64_t number = (std::int64_t{request} * gridDim.y + row) * op.window + blockIdx.x;
  const float largest = __ldg(&op.statistics[2 * number]);
  const float total = __ldg(&op.statistics[2 * number + 1]);
  HalfRows sum{};
  for (int slot = group; slot < values.length(); slot += kWarps * kRows) {
    const float logit = op.logits[number * op.stride + slot];
    if (logit == -INFINITY) continue;  // V of a hole may be anything, NaN too
    const float w = weight(logit, largest, total);
    const HalfRows value = values.read(slot, at.lane);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum.first.v[i] = __fmaf_rn(w, value.first.v[i], sum.first.v[i]);
      sum.second.v[i] = __fmaf_rn(w, value.second.v[i], sum.second.v[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) {
    shared.sums[group][at.lane * 8 + i] = sum.first.v[i];
    shared.sums[group][kDim / 2 + at.lane * 8 + i] = sum.second.v[i];
  }
  __syncthreads();
  for (int d = int(threadIdx.x); d < kDim; d += kThreads) {
    float joined = 0.0f;
    for (int g = 0; g < kWarps * kRows; ++g)
      joined += shared.sums[g][d];
    op.output[number * kDim + d] = joined * op.rows.value_scale;
  }
}

}  // namespace

void run(const QueryAttention& op, Stream stream) {
  const PoolLayout& layout = op.rows.pool.layout;
  if (op.query_heads < 1 || op.query_heads % layout.heads != 0 || op.window < 1 ||
      op.first_position == nullptr || (op.output != nullptr && (op.group_max || layout.kinds != 2)))
    throw std::invalid_argument(
        "QueryAttention: needs a multiple of the KV heads as query heads, a query and its "
        "position; "
        "an output needs V and the weights of each query head");
  if (op.rows.tables.requests == 0 || op.stride == 0) return;
  const unsigned rows = unsigned(layout.layers * head_rows(op).rows);
  const unsigned requests = unsigned(op.rows.tables.requests), window = unsigned(op.window);
  by_element(layout, op.rows.element, op.rows.head_dim, "QueryAttention", [&](auto kind, auto dim) {
    using Kind = decltype(kind);
    constexpr int kDim = decltype(dim)::value;
    simt::launch({SlotLanes<kDim, kWarps>::grid(op.rows, op.stride), kThreads, 0, stream},
                 logits_kernel<Kind, kDim>, op);
    simt::launch({dim3(window, rows, requests), kThreads, 0, stream}, sums_kernel, op);
    if (op.column_sums != nullptr)
      simt::launch({dim3(blocks_for(op.stride, kThreads), rows, requests), kThreads, 0, stream},
                   columns_kernel, op);
    if (op.output != nullptr)
      simt::launch({dim3(window, rows, requests), kThreads, 0, stream}, output_kernel<Kind, kDim>,
                   op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
