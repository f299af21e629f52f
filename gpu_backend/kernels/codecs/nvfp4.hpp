// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/kernels/codecs/fp8.hpp"

namespace vacancy::gpu {

/// FP4 E2M1: 0, 0.5, 1, 1.5, 2, 3, 4, 6 and their negatives. Round to nearest, ties to the even
/// code, saturating; NaN becomes +6, as NVIDIA's conversion has it.
VACANCY_HOST_DEVICE std::uint32_t encode_e2m1(float x) {
  if (is_nan(x)) return 7;
  const float a = magnitude(x);
  const std::uint32_t code = std::uint32_t{a > 0.25f} + std::uint32_t{a >= 0.75f} +
                             std::uint32_t{a > 1.25f} + std::uint32_t{a >= 1.75f} +
                             std::uint32_t{a > 2.5f} + std::uint32_t{a >= 3.5f} +
                             std::uint32_t{a > 5.0f};
  return code | (bits_of(x) >> 28 & 8u);
}
VACANCY_HOST_DEVICE float decode_e2m1(std::uint32_t code) {
  const std::uint32_t m = code & 7u;
  const float a =
      m < 2 ? 0.5f * static_cast<float>(m) : float_of((m / 2 + 126u) << 23 | (m & 1u) << 22);
  return (code & 8u) != 0 ? -a : a;
}

// NVFP4 as TensorRT-LLM's cold pages have it: 16 consecutive values share an E4M3 scale, and the
// tensor a factor `global`, 1 unless calibrated. A value is e2m1 * scale / global.

inline constexpr int nvfp4_group = 16;

/// `largest`: of the magnitudes of the group, where a NaN counts as nothing. An infinity saturates.
VACANCY_HOST_DEVICE std::uint8_t nvfp4_scale(float largest, float global) {
  return encode_e4m3(global * (largest * (1.0f / 6.0f)));
}
/// What values are multiplied with before they are rounded to E2M1; 0 for a group of scale 0.
VACANCY_HOST_DEVICE float nvfp4_multiplier(std::uint8_t scale, float global) {
  return scale == 0 ? 0.0f : 1.0f / (decode_e4m3(scale) * (1.0f / global));
}
VACANCY_HOST_DEVICE float decode_nvfp4(std::uint32_t code, std::uint8_t scale, float global) {
  return decode_e2m1(code) * decode_e4m3(scale) / global;
}

}  // namespace vacancy::gpu
