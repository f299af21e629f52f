// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codecs/float_bits.hpp"

namespace vacancy::gpu {

/// FP8 E4M3 in its FN variant: no infinity, largest value 448. Round to nearest even, saturating;
/// NaN becomes 0x7F.
VACANCY_HOST_DEVICE std::uint8_t encode_e4m3(float x) {
  const std::uint32_t bits = bits_of(x), sign = bits >> 24 & 0x80u, rest = bits & 0x7FFFFFFFu;
  if (rest > 0x7F800000u) return 0x7F;
  if (rest >= 0x43E80000u) return static_cast<std::uint8_t>(sign | 0x7Eu);  // 464 and more
  if (rest < 0x3C800000u)  // below 2^-6: 2^-9 is the last place of a float at 2^14
    return static_cast<std::uint8_t>(sign | (bits_of(float_of(rest) + 16384.0f) - 0x46800000u));
  return static_cast<std::uint8_t>(sign |
                                   (((rest + 0x7FFFFu + (rest >> 20 & 1u)) >> 20) - (120u << 3)));
}
VACANCY_HOST_DEVICE float decode_e4m3(std::uint8_t code) {
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x80u) << 24;
  const std::uint32_t exponent = code >> 3 & 15u, fraction = code & 7u;
  if (exponent == 15 && fraction == 7) return float_of(sign | 0x7FC00000u);
  if (exponent == 0) return float_of(sign | bits_of(static_cast<float>(fraction) * 0x1p-9f));
  return float_of(sign | (exponent + 120u) << 23 | fraction << 20);
}

}  // namespace vacancy::gpu
