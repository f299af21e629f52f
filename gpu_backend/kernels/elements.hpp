// SPDX-License-Identifier: Apache-2.0
// Elements of K and V rows, eight at a time: what a lane of the reading kernels holds of a half
// row.
#pragma once

#include "gpu_backend/kernels/codecs/fp8.hpp"
#include "gpu_backend/kernels/element_type.hpp"
#include "gpu_backend/kernels/views.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

struct Eight {
  float v[8];
};

struct Bf16Rows {
  using Packed = uint4;
  static __device__ __forceinline__ Packed load(const Packed* p) { return __ldcs(p); }
  static __device__ __forceinline__ Eight unpack(uint4 packed) {
    const unsigned words[4] = {packed.x, packed.y, packed.z, packed.w};
    Eight eight;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      eight.v[2 * i] = __uint_as_float(words[i] << 16);
      eight.v[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000u);
    }
    return eight;
  }
};
/// E4M3 values as stored; whoever reads them applies the tensor's scale.
struct Fp8Rows {
  using Packed = uint2;
  static __device__ __forceinline__ Packed load(const Packed* p) { return __ldcs(p); }
  static __device__ __forceinline__ Eight unpack(uint2 packed) {
    const unsigned words[2] = {packed.x, packed.y};
    Eight eight;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const Two two = decode_two(static_cast<std::uint16_t>(words[i / 2] >> i % 2 * 16), E4m3{});
      eight.v[2 * i] = two.low;
      eight.v[2 * i + 1] = two.high;
    }
    return eight;
  }
};

/// Rows as models compute them, for comparisons: nobody's cache is that wide.
struct Fp32Rows {
  struct Packed {
    float4 first, second;
  };
  static __device__ __forceinline__ Packed load(const Packed* p) {
    return {__ldcs(&p->first), __ldcs(&p->second)};
  }
  static __device__ __forceinline__ Eight unpack(const Packed& packed) {
    const float4 &a = packed.first, &b = packed.second;
    return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
  }
};

/// Where rows lie in a pool; `unit` is in units of 16 bytes.
template <class Rows>
__device__ __forceinline__ const typename Rows::Packed* at_unit(const void* base,
                                                                std::int64_t unit) {
  return reinterpret_cast<const typename Rows::Packed*>(static_cast<const uint4*>(base) + unit);
}

/// Two 16-byte loads; p is aligned to 16 bytes.
__device__ __forceinline__ Eight load_floats(const float* p) {
  const float4 a = __ldg(reinterpret_cast<const float4*>(p));
  const float4 b = __ldg(reinterpret_cast<const float4*>(p) + 1);
  return {{a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w}};
}

template <int kValue>
struct Constant {
  static constexpr int value = kValue;
};

/// Calls launch(Rows{}, Constant<head_dim>{}) for the kernel that reads such rows: of units of 16
/// bytes that lie in a row.
template <class Launch>
void by_element(const PoolLayout& layout, ElementType element, int head_dim, const char* operation,
                Launch launch) {
  const int bytes = head_dim * (element == ElementType::fp32   ? 4
                                : element == ElementType::bf16 ? 2
                                                               : 1);
  if (layout.unit_bytes != 16 || layout.row_units * 16 != bytes || layout.per_unit != 1)
    throw std::invalid_argument(
        std::string(operation) +
        ": rows of a pool must lie in one piece, in units of 16 bytes, and have head_dim elements");
  const auto with = [&](auto rows) {
    if (head_dim == 64) return launch(rows, Constant<64>{});
    if (head_dim == 128) return launch(rows, Constant<128>{});
    if (head_dim == 256) return launch(rows, Constant<256>{});
    throw std::invalid_argument(std::string(operation) + ": heads have 64, 128 or 256 elements");
  };
  if (element == ElementType::bf16) return with(Bf16Rows{});
  if (element == ElementType::fp32) return with(Fp32Rows{});
  return with(Fp8Rows{});
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
