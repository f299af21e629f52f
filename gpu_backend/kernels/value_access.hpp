// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codec_operations.hpp"
#include "gpu_backend/kernels/codecs/fp8.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

__device__ __forceinline__ float load_value(const void* values, ValueType type, std::int64_t i) {
  switch (type) {
    case ValueType::f32:
      return __ldg(static_cast<const float*>(values) + i);
    case ValueType::f16:
      return decode_half(__ldg(static_cast<const std::uint16_t*>(values) + i));
    case ValueType::e4m3:
      return decode_e4m3(__ldg(static_cast<const std::uint8_t*>(values) + i));
    default:
      return decode_bf16(__ldg(static_cast<const std::uint16_t*>(values) + i));
  }
}
__device__ __forceinline__ void store_value(void* values, ValueType type, std::int64_t i, float x) {
  switch (type) {
    case ValueType::f32:
      static_cast<float*>(values)[i] = x;
      return;
    case ValueType::f16:
      static_cast<std::uint16_t*>(values)[i] = encode_half(x);
      return;
    case ValueType::e4m3:
      static_cast<std::uint8_t*>(values)[i] = encode_e4m3(x);
      return;
    default:
      static_cast<std::uint16_t*>(values)[i] = encode_bf16(x);
  }
}

/// Four codes of FP8 in a word, the first lowest.
template <class Format>
__device__ __forceinline__ std::uint32_t encode_four(float4 x, Format format) {
  return encode_two({x.x, x.y}, format) | std::uint32_t{encode_two({x.z, x.w}, format)} << 16;
}
template <class Format>
__device__ __forceinline__ float4 decode_four(std::uint32_t codes, Format format) {
  const Two low = decode_two(static_cast<std::uint16_t>(codes), format);
  const Two high = decode_two(static_cast<std::uint16_t>(codes >> 16), format);
  return make_float4(low.low, low.high, high.low, high.high);
}

/// Values 4 i .. 4 i + 3 in one access.
__device__ __forceinline__ float4 load_four(const void* values, ValueType type, std::int64_t i) {
  if (type == ValueType::f32) return __ldcs(static_cast<const float4*>(values) + i);
  if (type == ValueType::e4m3)
    return decode_four(__ldcs(static_cast<const std::uint32_t*>(values) + i), E4m3{});
  const uint2 packed = __ldcs(static_cast<const uint2*>(values) + i);
  if (type == ValueType::f16)
    return make_float4(decode_half(static_cast<std::uint16_t>(packed.x)),
                       decode_half(static_cast<std::uint16_t>(packed.x >> 16)),
                       decode_half(static_cast<std::uint16_t>(packed.y)),
                       decode_half(static_cast<std::uint16_t>(packed.y >> 16)));
  return make_float4(float_of(packed.x << 16), float_of(packed.x & 0xFFFF0000u),
                     float_of(packed.y << 16), float_of(packed.y & 0xFFFF0000u));
}
template <class Encode>
__device__ __forceinline__ uint2 pack_wide(float4 x, Encode encode) {
  return make_uint2(encode(x.x) | std::uint32_t{encode(x.y)} << 16,
                    encode(x.z) | std::uint32_t{encode(x.w)} << 16);
}
__device__ __forceinline__ void store_four(void* values, ValueType type, std::int64_t i, float4 x) {
  if (type == ValueType::f32)
    __stcs(static_cast<float4*>(values) + i, x);
  else if (type == ValueType::e4m3)
    __stcs(static_cast<std::uint32_t*>(values) + i, encode_four(x, E4m3{}));
  else
    __stcs(static_cast<uint2*>(values) + i,
           type == ValueType::f16 ? pack_wide(x, [](float v) { return encode_half(v); })
                                  : pack_wide(x, [](float v) { return encode_bf16(v); }));
}
__device__ __forceinline__ float largest_of(float4 x) {
  return larger(larger(magnitude(x.x), magnitude(x.y)), larger(magnitude(x.z), magnitude(x.w)));
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
