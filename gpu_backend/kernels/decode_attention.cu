// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/elements.hpp"
#include "gpu_backend/kernels/implementations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {
namespace {

constexpr int kThreads = 256, kBlocks = 2, kWarps = kThreads / 32;
constexpr unsigned kAll = 0xFFFFFFFFu;

/// exp(a - b), 0 for a = -inf even if b is too.
__device__ __forceinline__ float weight_of(float a, float b) {
  return a == -INFINITY ? 0.0f : simt::fast_exp(a - b);
}

/// Where the rows of a slot lie, or -1 if the slot does not count.
__device__ __forceinline__ std::int64_t visible_slot(const DecodeAttention& op,
                                                     const std::int32_t* table,
                                                     const std::int32_t* positions, int request,
                                                     int slot) {
  const int block = __ldg(&table[slot / op.pool.layout.slots]);
  if (block < 0) return -1;
  const int position = positions != nullptr ? __ldg(&positions[slot]) : slot;
  if (position < 0) return -1;
  if (op.query_positions != nullptr) {
    const int query = __ldg(&op.query_positions[request]);
    if (position > query || (op.window > 0 && position <= query - op.window)) return -1;
  }
  return block * op.pool.layout.block + slot % op.pool.layout.slots * op.pool.layout.per_slot;
}

/// How a query group shares the warps of its blocks: a member's warps take turns over the slots.
struct GroupShare {
  int parts, members, warps;  // blocks of a group, members of a block, warps of a member

  __device__ __host__ __forceinline__ explicit GroupShare(int group)
      : parts((group + kWarps - 1) / kWarps),
        members((group + parts - 1) / parts),
        warps(kWarps / members) {}
};

template <int kDim>
struct Partial {
  float largest[kWarps], total[kWarps];
  float sum[kWarps][kDim];
};

/// Grid: (query groups, or parts of them, of all layers, splits, requests). Online softmax over a
/// slice of the slots: head_dim / 16 lanes a slot, each with 16 dimensions of the query and of the
/// sum. All members of a group walk the same slots at once, so that memory sends K and V once and
/// the first-level cache serves the others. A split's result is its sum, its largest logit and its
/// total weight; combine_kernel puts them together.
template <class Rows, int kDim>
__global__ void __launch_bounds__(kThreads, kBlocks)
    decode_kernel(__grid_constant__ const DecodeAttention op) {
  constexpr int kLanes = kDim / 16, kSlots = 32 / kLanes;
  using Packed = typename Rows::Packed;
  auto& shared = simt::shared<Partial<kDim>>();
  const PoolLayout& layout = op.pool.layout;
  const int lane = int(threadIdx.x) % kLanes, in_warp = int(threadIdx.x) % 32 / kLanes;
  const int warp = int(threadIdx.x) / 32, request = int(blockIdx.z);
  const int group = op.query_heads / layout.heads;
  const GroupShare share(group);
  const int plane = int(blockIdx.x) / share.parts;
  const Plane keys = plane_of_keys(plane, layout);
  const int first_member = int(blockIdx.x) % share.parts * share.members;
  const int members = min(share.members, group - first_member);
  const int member = warp / share.warps, turn = warp % share.warps;
  const Plane values{keys.layer, 1, keys.head};
  const std::int32_t* const table = table_of(op.tables, request, keys);
  const std::int32_t* const positions =
      op.slots.positions == nullptr
          ? nullptr
          : op.slots.positions +
                (request * op.slots.sets.count + number(op.slots.sets, keys)) * op.slots.stride;
  const int length = length_of(op.tables, request, keys, layout.slots), splits = int(gridDim.y);
  const int per = (length + splits - 1) / splits, begin = int(blockIdx.y) * per;
  // Warps that are left over have no slots.
  const int end = member < members ? min(length, begin + per) : begin;
  // Both halves of a row, eight elements a lane.
  const std::int64_t key_plane = plane_offset(layout, keys);
  const std::int64_t value_plane = plane_offset(layout, values);
  const std::int64_t first_row =
      (std::int64_t{request} * layout.layers + keys.layer) * op.query_heads + keys.head * group +
      first_member;
  const float* const query = op.query + (first_row + min(member, members - 1)) * kDim + lane * 8;
  const Eight q0 = load_floats(query), q1 = load_floats(query + kDim / 2);
  const float scale = op.scale * op.key_scale;

  Eight sum0{}, sum1{};
  float largest = -INFINITY, total = 0.0f;
  for (int first = begin + turn * kSlots; first < end; first += share.warps * kSlots) {
    const int slot = first + in_warp;
    const std::int64_t at = slot < end ? visible_slot(op, table, positions, request, slot) : -1;
    Packed k0{}, k1{}, v0{}, v1{};
    if (at >= 0) {
      const Packed* const k = at_unit<Rows>(op.pool.base, key_plane + at) + lane;
      const Packed* const v = at_unit<Rows>(op.pool.base, value_plane + at) + lane;
      // Not Rows::load(), whose rows leave the cache first: other members are about to read them.
      k0 = k[0];
      k1 = k[kLanes];
      v0 = v[0];
      v1 = v[kLanes];
    }
    const Eight ka = Rows::unpack(k0), kb = Rows::unpack(k1);
    float logit = 0.0f;
#pragma unroll
    for (int i = 0; i < 8; ++i)
      logit = __fmaf_rn(q0.v[i], ka.v[i], __fmaf_rn(q1.v[i], kb.v[i], logit));
#pragma unroll
    for (int o = kLanes / 2; o > 0; o >>= 1)
      logit += __shfl_xor_sync(kAll, logit, o);
    if (at < 0) continue;  // all lanes of the warp leave the loop together
    logit *= scale;
    const float top = fmaxf(largest, logit), keep = weight_of(largest, top);
    const float weight = simt::fast_exp(logit - top);
    const Eight va = Rows::unpack(v0), vb = Rows::unpack(v1);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum0.v[i] = __fmaf_rn(weight, va.v[i], sum0.v[i] * keep);
      sum1.v[i] = __fmaf_rn(weight, vb.v[i], sum1.v[i] * keep);
    }
    total = __fmaf_rn(total, keep, weight);
    largest = top;
  }
#pragma unroll
  for (int o = kLanes; o < 32; o <<= 1) {  // the slots of a warp
    const float other = __shfl_xor_sync(kAll, largest, o), top = fmaxf(largest, other);
    const float mine = weight_of(largest, top), theirs = weight_of(other, top);
    total = __fmaf_rn(total, mine, __shfl_xor_sync(kAll, total, o) * theirs);
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      sum0.v[i] = __fmaf_rn(sum0.v[i], mine, __shfl_xor_sync(kAll, sum0.v[i], o) * theirs);
      sum1.v[i] = __fmaf_rn(sum1.v[i], mine, __shfl_xor_sync(kAll, sum1.v[i], o) * theirs);
    }
    largest = top;
  }
  if (in_warp == 0) {
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      shared.sum[warp][lane * 8 + i] = sum0.v[i];
      shared.sum[warp][kDim / 2 + lane * 8 + i] = sum1.v[i];
    }
    if (lane == 0) {
      shared.largest[warp] = largest;
      shared.total[warp] = total;
    }
  }
  __syncthreads();
  for (int i = int(threadIdx.x); i < members * kDim; i += kThreads) {
    const int d = i % kDim, first = i / kDim * share.warps;
    float top = -INFINITY, joined = 0.0f, weights = 0.0f;
    for (int w = first; w < first + share.warps; ++w)
      top = fmaxf(top, shared.largest[w]);
    for (int w = first; w < first + share.warps; ++w) {
      const float weight = weight_of(shared.largest[w], top);
      joined = __fmaf_rn(shared.sum[w][d], weight, joined);
      weights = __fmaf_rn(shared.total[w], weight, weights);
    }
    float* const part = op.workspace + ((first_row + i / kDim) * splits + blockIdx.y) * (kDim + 2);
    part[d] = joined;
    if (d == 0) {
      part[kDim] = top;
      part[kDim + 1] = weights;
    }
  }
}

/// Grid: (query heads of all layers, 1, requests).
template <int kDim>
__global__ void __launch_bounds__(kDim) combine_kernel(__grid_constant__ const DecodeAttention op) {
  const std::int64_t row = std::int64_t{blockIdx.z} * gridDim.x + blockIdx.x;
  const float* const parts = op.workspace + row * op.splits * (kDim + 2);
  float top = -INFINITY, total = 0.0f, sum = 0.0f;
  for (int i = 0; i < op.splits; ++i)
    top = fmaxf(top, parts[i * (kDim + 2) + kDim]);
  for (int i = 0; i < op.splits; ++i) {
    const float weight = weight_of(parts[i * (kDim + 2) + kDim], top);
    total = __fmaf_rn(parts[i * (kDim + 2) + kDim + 1], weight, total);
    sum = __fmaf_rn(parts[i * (kDim + 2) + threadIdx.x], weight, sum);
  }
  op.output[row * kDim + threadIdx.x] = total > 0.0f ? sum / total * op.value_scale : 0.0f;
}

}  // namespace

void run(const DecodeAttention& op, Stream stream) {
  const PoolLayout& layout = op.pool.layout;
  if (layout.kinds != 2 || op.query_heads < 1 || op.query_heads % layout.heads != 0 ||
      op.splits < 1 || (op.window > 0 && op.query_positions == nullptr))
    throw std::invalid_argument(
        "DecodeAttention: needs K and V, a multiple of the KV heads as query heads, a split, and "
        "the query's positions where there is a window");
  if (op.tables.requests == 0) return;
  const unsigned heads = unsigned(layout.layers * op.query_heads);
  const unsigned requests = unsigned(op.tables.requests);
  by_element(layout, op.element, op.head_dim, "DecodeAttention", [&](auto rows, auto dim) {
    constexpr int kDim = decltype(dim)::value;
    const unsigned groups =
        unsigned(layout.layers * layout.heads * GroupShare(op.query_heads / layout.heads).parts);
    simt::launch({dim3(groups, unsigned(op.splits), requests), kThreads, 0, stream},
                 decode_kernel<decltype(rows), kDim>, op);
    simt::launch({dim3(heads, 1, requests), kDim, 0, stream}, combine_kernel<kDim>, op);
  });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
