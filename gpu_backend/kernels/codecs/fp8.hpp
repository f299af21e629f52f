// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codecs/float_bits.hpp"

namespace vacancy::gpu {

/// FP8 in its FN variant: no infinity, largest value 448.
struct E4m3 {
  static constexpr int fraction_bits = 3, bias = 7;
  static constexpr std::uint32_t largest = 0x43E00000u;  // as float
};
/// With infinities, which only decoding knows; largest value 57,344. The upper byte of a half.
struct E5m2 {
  static constexpr int fraction_bits = 2, bias = 15;
  static constexpr std::uint32_t largest = 0x47600000u;
};

/// Two numbers, as the conversions of GPUs from compute capability 8.9 on take them; the first
/// one's code is in the low byte.
struct Two {
  float low, high;
};

// Codes are rounded to nearest even, saturating; NaN becomes 0x7F. Whether hardware or software
// converts shows in nothing but the bits of a decoded NaN.

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 890

VACANCY_HOST_DEVICE std::uint16_t encode_two(Two x, E4m3) {
  std::uint16_t codes;
  asm("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(x.high), "f"(x.low));
  return codes;
}
VACANCY_HOST_DEVICE std::uint16_t encode_two(Two x, E5m2) {
  std::uint16_t codes;
  asm("cvt.rn.satfinite.e5m2x2.f32 %0, %1, %2;" : "=h"(codes) : "f"(x.high), "f"(x.low));
  return codes;
}
/// FP16 holds every value of both formats.
VACANCY_HOST_DEVICE Two floats_of_halves(std::uint32_t halves) {
  Two x;
  asm("cvt.f32.f16 %0, %1;" : "=f"(x.low) : "h"(static_cast<std::uint16_t>(halves)));
  asm("cvt.f32.f16 %0, %1;" : "=f"(x.high) : "h"(static_cast<std::uint16_t>(halves >> 16)));
  return x;
}
VACANCY_HOST_DEVICE Two decode_two(std::uint16_t codes, E4m3) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e4m3x2 %0, %1;" : "=r"(halves) : "h"(codes));
  return floats_of_halves(halves);
}
VACANCY_HOST_DEVICE Two decode_two(std::uint16_t codes, E5m2) {
  std::uint32_t halves;
  asm("cvt.rn.f16x2.e5m2x2 %0, %1;" : "=r"(halves) : "h"(codes));
  return floats_of_halves(halves);
}
template <class Format>
VACANCY_HOST_DEVICE std::uint8_t encode_fp8(float x, Format format) {
  return static_cast<std::uint8_t>(encode_two({x, 0.0f}, format));
}
template <class Format>
VACANCY_HOST_DEVICE float decode_fp8(std::uint8_t code, Format format) {
  return decode_two(code, format).low;
}

#else

template <class Format>
VACANCY_HOST_DEVICE std::uint8_t encode_fp8(float x, Format) {
  constexpr int dropped = 23 - Format::fraction_bits;  // places of a float's fraction
  constexpr std::uint32_t half = 1u << (dropped - 1);
  constexpr std::uint32_t least_normal = (128u - Format::bias) << 23;
  // A float whose last place is the least subnormal: adding it rounds.
  constexpr std::uint32_t subnormals = (151u - Format::bias - Format::fraction_bits) << 23;
  const std::uint32_t bits = bits_of(x), sign = bits >> 24 & 0x80u, rest = bits & 0x7FFFFFFFu;
  if (rest > 0x7F800000u) return 0x7F;
  std::uint32_t code;
  if (rest < least_normal)
    code = bits_of(float_of(rest) + float_of(subnormals)) - subnormals;
  else {
    const std::uint32_t limited = rest < Format::largest ? rest : Format::largest;
    code = ((limited + half - 1 + (limited >> dropped & 1u)) >> dropped) -
           ((127u - Format::bias) << Format::fraction_bits);
  }
  return static_cast<std::uint8_t>(sign | code);
}
VACANCY_HOST_DEVICE float decode_fp8(std::uint8_t code, E4m3) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80u) << 24;
  const std::uint32_t exponent = code >> 3 & 15u, fraction = code & 7u;
  if (exponent == 15 && fraction == 7) return float_of(sign | 0x7FC00000u);
  if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(fraction) * 0x1p-9f));
  return float_of(sign | (exponent + 120u) << 23 | fraction << 20);
}
VACANCY_HOST_DEVICE float decode_fp8(std::uint8_t code, E5m2) {
  return decode_half(static_cast<std::uint16_t>(code << 8));
}
template <class Format>
VACANCY_HOST_DEVICE std::uint16_t encode_two(Two x, Format format) {
  return static_cast<std::uint16_t>(encode_fp8(x.low, format) | encode_fp8(x.high, format) << 8);
}
template <class Format>
VACANCY_HOST_DEVICE Two decode_two(std::uint16_t codes, Format format) {
  return {decode_fp8(static_cast<std::uint8_t>(codes), format),
          decode_fp8(static_cast<std::uint8_t>(codes >> 8), format)};
}

#endif

VACANCY_HOST_DEVICE std::uint8_t encode_e4m3(float x) {
  return encode_fp8(x, E4m3{});
}
VACANCY_HOST_DEVICE float decode_e4m3(std::uint8_t code) {
  return decode_fp8(code, E4m3{});
}

}  // namespace vacancy::gpu
