// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codecs/float_bits.hpp"

namespace vacancy::gpu {

/// x rounded to the nearest integer in [low, high], ties to even; NaN becomes `low`. |low| and
/// |high| are below 2^22.
VACANCY_HOST_DEVICE int round_within(float x, float low, float high) {
  const float limited = x > low ? (x < high ? x : high) : low;
  // The sum's last place is 1: the addition rounds. Its integer stands in the low bits.
  constexpr float shift = 0x1.8p23f;
  return static_cast<int>(bits_of(limited + shift) - bits_of(shift));
}

/// Symmetric integers of 8 or 4 bits have codes from -127 to 127, or from -7 to 7.
VACANCY_HOST_DEVICE constexpr float largest_code(int bits) {
  return static_cast<float>((1 << (bits - 1)) - 1);
}
/// A group shares scale = max|x| / largest code, as float. A group of zeros has scale 0 and codes
/// 0; a NaN has code 0, an infinity that of the largest number.
VACANCY_HOST_DEVICE float integer_scale(float largest, int bits) {
  return smaller(largest, 0x1.fffffep127f) / largest_code(bits);
}
VACANCY_HOST_DEVICE int encode_integer(float x, float scale, int bits) {
  return scale > 0.0f && !is_nan(x)
             ? round_within(x / scale, -largest_code(bits), largest_code(bits))
             : 0;
}
VACANCY_HOST_DEVICE float decode_integer(int code, float scale) {
  return static_cast<float>(code) * scale;
}

/// KIVI's groups (policies §3.24): a group shares its minimum `zero` and its step, both as FP16.
struct KiviGroup {
  std::uint16_t zero, step;
};

/// Of a group's smallest and largest value, where NaN counts as nothing; what FP16 cannot hold is
/// cut to its largest finite value. A constant group has step 0 and so has one whose step is below
/// FP16's least.
VACANCY_HOST_DEVICE KiviGroup kivi_group(float smallest, float largest, int bits) {
  constexpr float finite = 65504.0f;
  const float low = smaller(larger(smallest, -finite), finite);
  const float high = smaller(larger(largest, -finite), finite);
  const float steps = static_cast<float>((1 << bits) - 1);
  return {encode_half(low), encode_half(smaller((high - low) / steps, finite))};
}
/// With the stored zero and step, so that coding twice changes nothing.
VACANCY_HOST_DEVICE std::uint32_t encode_kivi(float x, KiviGroup group, int bits) {
  const float step = decode_half(group.step);
  if (!(step > 0.0f)) return 0;
  return static_cast<std::uint32_t>(round_within((x - decode_half(group.zero)) / step, 0.0f,
                                                 static_cast<float>((1 << bits) - 1)));
}
/// The product is exact (8 bits times 11), so that it may be fused with the sum.
VACANCY_HOST_DEVICE float decode_kivi(std::uint32_t code, KiviGroup group) {
  return static_cast<float>(code) * decode_half(group.step) + decode_half(group.zero);
}

}  // namespace vacancy::gpu
