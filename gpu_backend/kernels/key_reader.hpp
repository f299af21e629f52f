// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/addressing.hpp"
#include "gpu_backend/kernels/elements.hpp"
#include "gpu_backend/kernels/score_operations.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

/// A row in the registers of head_dim / 16 neighbouring lanes: eight elements of its first half and
/// the eight beside them of its second half. So a lane owns whole rotary pairs.
struct HalfRows {
  Eight first, second;
};

/// How the lanes of a warp share out rows of kDim elements.
template <int kDim>
struct RowLanes {
  static constexpr int lanes = kDim / 16, rows = 32 / lanes;  // of a row; of a warp at a time
  int lane, row;

  __device__ __forceinline__ RowLanes()
      : lane(int(threadIdx.x) % lanes), row(int(threadIdx.x) % 32 / lanes) {}
};

/// Which row a lane belongs to in a grid of (slots, (layer, KV head)s, requests) whose blocks have
/// kWarps warps.
template <int kDim, int kWarps>
struct SlotLanes : RowLanes<kDim> {
  static constexpr int slots = kWarps * RowLanes<kDim>::rows;  // of a block

  int request, slot;
  Plane plane;       // of K
  std::int64_t set;  // of [requests][layers][KV heads]

  __device__ __forceinline__ explicit SlotLanes(const PoolLayout& layout)
      : request(int(blockIdx.z)),
        slot(int(blockIdx.x) * slots + int(threadIdx.x) / 32 * RowLanes<kDim>::rows + this->row),
        plane(plane_of_keys(int(blockIdx.y), layout)),
        set(std::int64_t{blockIdx.z} * gridDim.y + blockIdx.y) {}

  /// For tables of `stride` slots at most.
  static dim3 grid(const CachedRows& rows, std::int64_t stride) {
    const PoolLayout& layout = rows.pool.layout;
    return {blocks_for(stride, slots), unsigned(layout.layers * layout.heads),
            unsigned(rows.tables.requests)};
  }
};

/// The rows of one plane of a request.
template <class Rows, int kDim>
class PlaneReader {
 public:
  __device__ __forceinline__ PlaneReader(const CachedRows& rows, int request, Plane plane)
      : layout_(rows.pool.layout),
        table_(table_of(rows.tables, request, plane)),
        length_(length_of(rows.tables, request, plane, rows.pool.layout.slots)),
        base_(rows.pool.base),
        plane_(plane_offset(rows.pool.layout, plane)) {}

  __device__ __forceinline__ int length() const { return length_; }
  __device__ __forceinline__ const std::int32_t* table() const { return table_; }

  /// Of the slot, or zeros if it is none or its block is not there.
  __device__ __forceinline__ HalfRows read(int slot, int lane) const {
    Packed first{}, second{};
    if (slot >= 0 && slot < length_) {
      const int block = __ldg(&table_[slot / layout_.slots]);
      if (block >= 0) {
        const std::int64_t row =
            plane_ + block * layout_.block + slot % layout_.slots * layout_.per_slot;
        const Packed* const at = at_unit<Rows>(base_, row) + lane;
        first = Rows::load(at);
        second = Rows::load(at + kDim / 16);
      }
    }
    return {Rows::unpack(first), Rows::unpack(second)};
  }

 private:
  using Packed = typename Rows::Packed;

  const PoolLayout& layout_;
  const std::int32_t* table_;
  int length_;
  const void* base_;
  std::int64_t plane_;
};

/// Summed over the lanes of a row; all of them get it.
template <int kDim>
__device__ __forceinline__ float row_sum(float x) {
#pragma unroll
  for (int o = kDim / 32; o > 0; o >>= 1)
    x += __shfl_xor_sync(0xFFFFFFFFu, x, o);
  return x;
}

__device__ __forceinline__ float dot(const HalfRows& a, const HalfRows& b) {
  float sum = 0.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i)
    sum = __fmaf_rn(a.first.v[i], b.first.v[i], __fmaf_rn(a.second.v[i], b.second.v[i], sum));
  return sum;
}

template <int kDim>
__device__ __forceinline__ float row_norm(const HalfRows& row) {
  return sqrtf(row_sum<kDim>(dot(row, row)));
}

/// Of a row of floats that lies in one piece.
template <int kDim>
__device__ __forceinline__ HalfRows load_half_rows(const float* row, int lane) {
  return {load_floats(row + lane * 8), load_floats(row + kDim / 2 + lane * 8)};
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
