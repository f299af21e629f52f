// SPDX-License-Identifier: Apache-2.0
// Codecs in integer operations and single IEEE operations on floats: the same bits on every CPU and
// GPU. No product feeds a sum, unless it is exact, so that a compiler may fuse the two or not.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define VACANCY_HOST_DEVICE __host__ __device__ __forceinline__
#else
#include <bit>
#define VACANCY_HOST_DEVICE inline
#endif

namespace vacancy::gpu {

VACANCY_HOST_DEVICE std::uint32_t bits_of(float x) {
#if defined(__CUDA_ARCH__)
  return __float_as_uint(x);
#else
  return __builtin_bit_cast(std::uint32_t, x);
#endif
}
VACANCY_HOST_DEVICE float float_of(std::uint32_t bits) {
#if defined(__CUDA_ARCH__)
  return __uint_as_float(bits);
#else
  return __builtin_bit_cast(float, bits);
#endif
}
VACANCY_HOST_DEVICE bool is_nan(float x) {
  return (bits_of(x) & 0x7FFFFFFFu) > 0x7F800000u;
}
VACANCY_HOST_DEVICE float magnitude(float x) {
  return float_of(bits_of(x) & 0x7FFFFFFFu);
}
/// The larger one, as fmaxf: a NaN loses against a number.
VACANCY_HOST_DEVICE float larger(float a, float b) {
  return b > a || is_nan(a) ? b : a;
}
VACANCY_HOST_DEVICE float smaller(float a, float b) {
  return b < a || is_nan(a) ? b : a;
}

VACANCY_HOST_DEVICE float decode_bf16(std::uint16_t code) {
  return float_of(std::uint32_t{code} << 16);
}
/// Round to nearest even; any NaN becomes 0x7FFF, as NVIDIA's conversion has it.
VACANCY_HOST_DEVICE std::uint16_t encode_bf16(float x) {
  if (is_nan(x)) return 0x7FFF;
  const std::uint32_t bits = bits_of(x);
  return static_cast<std::uint16_t>((bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16);
}

VACANCY_HOST_DEVICE float decode_half(std::uint16_t code) {
  const std::uint32_t sign = std::uint32_t{code} << 16 & 0x80000000u;
  const std::uint32_t exponent = code >> 10 & 31u, fraction = code & 0x3FFu;
  if (exponent == 31) return float_of(sign | 0x7F800000u | fraction << 13);
  if (exponent == 0)  // units of 2^-24
    return float_of(sign | bits_of(static_cast<float>(fraction) * 0x1p-24f));
  return float_of(sign | (exponent + 112u) << 23 | fraction << 13);
}
/// Round to nearest even; beyond the range infinity, any NaN becomes 0x7FFF.
VACANCY_HOST_DEVICE std::uint16_t encode_half(float x) {
  if (is_nan(x)) return 0x7FFF;
  const std::uint32_t bits = bits_of(x), sign = bits >> 16 & 0x8000u, rest = bits & 0x7FFFFFFFu;
  if (rest >= 0x477FF000u) return static_cast<std::uint16_t>(sign | 0x7C00u);  // 65520 and more
  if (rest < 0x38800000u)  // below 2^-14: 2^-24 is the last place of a float at 0.5
    return static_cast<std::uint16_t>(sign | (bits_of(float_of(rest) + 0.5f) - 0x3F000000u));
  return static_cast<std::uint16_t>(sign |
                                    (((rest + 0xFFFu + (rest >> 13 & 1u)) >> 13) - (112u << 10)));
}

}  // namespace vacancy::gpu
