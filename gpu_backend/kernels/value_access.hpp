// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codec_operations.hpp"
#include "gpu_backend/kernels/codecs/float_bits.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

__device__ __forceinline__ float load_value(const void* values, ValueType type, std::int64_t i) {
  if (type == ValueType::f32) return __ldg(static_cast<const float*>(values) + i);
  return decode_bf16(__ldg(static_cast<const std::uint16_t*>(values) + i));
}
__device__ __forceinline__ void store_value(void* values, ValueType type, std::int64_t i, float x) {
  if (type == ValueType::f32)
    static_cast<float*>(values)[i] = x;
  else
    static_cast<std::uint16_t*>(values)[i] = encode_bf16(x);
}
/// Values 4 i .. 4 i + 3 in one access.
__device__ __forceinline__ float4 load_four(const void* values, ValueType type, std::int64_t i) {
  if (type == ValueType::f32) return __ldcs(static_cast<const float4*>(values) + i);
  const uint2 packed = __ldcs(static_cast<const uint2*>(values) + i);
  return make_float4(float_of(packed.x << 16), float_of(packed.x & 0xFFFF0000u),
                     float_of(packed.y << 16), float_of(packed.y & 0xFFFF0000u));
}
__device__ __forceinline__ void store_four(void* values, ValueType type, std::int64_t i, float4 x) {
  if (type == ValueType::f32)
    __stcs(static_cast<float4*>(values) + i, x);
  else
    __stcs(static_cast<uint2*>(values) + i,
           make_uint2(encode_bf16(x.x) | std::uint32_t{encode_bf16(x.y)} << 16,
                      encode_bf16(x.z) | std::uint32_t{encode_bf16(x.w)} << 16));
}
__device__ __forceinline__ float largest_of(float4 x) {
  return larger(larger(magnitude(x.x), magnitude(x.y)), larger(magnitude(x.z), magnitude(x.w)));
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
