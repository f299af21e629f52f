// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/reference/number_formats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace vacancy::gpu::reference {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Of a code with so many bits of exponent and fraction, by the definition.
double value_of(unsigned code, int exponent_bits, int fraction_bits, int bias) {
  const unsigned fraction = code & ((1u << fraction_bits) - 1);
  const unsigned exponent = code >> fraction_bits & ((1u << exponent_bits) - 1);
  const bool negative = (code >> (fraction_bits + exponent_bits) & 1) != 0;
  const double part = std::ldexp(fraction, -fraction_bits);
  const double size = exponent == 0 ? std::ldexp(part, 1 - bias)
                                    : std::ldexp(1 + part, static_cast<int>(exponent) - bias);
  return negative ? -size : size;
}
/// Of a format whose largest exponent means infinity or NaN.
double ieee_value(unsigned code, int exponent_bits, int fraction_bits, int bias) {
  const unsigned most = (1u << exponent_bits) - 1, fraction = code & ((1u << fraction_bits) - 1);
  if ((code >> fraction_bits & most) != most)
    return value_of(code, exponent_bits, fraction_bits, bias);
  if (fraction != 0) return nan;
  return (code >> (fraction_bits + exponent_bits) & 1) != 0 ? -HUGE_VAL : HUGE_VAL;
}

}  // namespace

double rounded(double x, const NumberFormat& format) {
  if (x == 0) return x;
  if (std::isinf(x)) return std::copysign(format.largest, x);
  const int place = std::max(std::ilogb(x) - (format.digits - 1), format.last_place);
  // Exact in double; nearbyint takes ties to even.
  const double result = std::ldexp(std::nearbyint(std::ldexp(x, -place)), place);
  return std::copysign(std::min(std::abs(result), format.largest), x);
}

double e4m3_value(std::uint8_t code) {
  return (code & 0x7F) == 0x7F ? nan : value_of(code, 4, 3, 7);
}
double e2m1_value(std::uint8_t code) {
  return value_of(code, 2, 1, 1);
}
double e5m2_value(std::uint8_t code) {
  return ieee_value(code, 5, 2, 15);
}
double bf16_value(std::uint16_t code) {
  return ieee_value(code, 8, 7, 127);
}
double half_value(std::uint16_t code) {
  return ieee_value(code, 5, 10, 15);
}

Nvfp4Group nvfp4(std::span<const float> values, float global) {
  float largest = 0;
  for (const float x : values)
    if (!std::isnan(x)) largest = std::max(largest, std::abs(x));
  Nvfp4Group group;
  const float sixth = largest * (1.0f / 6.0f), wanted = global * sixth;
  group.scale = rounded(double{wanted}, e4m3_format);
  float by = 0;
  if (group.scale != 0) {
    const float inverse = 1.0f / global;
    by = 1.0f / (static_cast<float>(group.scale) * inverse);
  }
  for (const float x : values) {
    const float scaled = x * by;
    const double element = std::isnan(scaled) ? 6.0 : rounded(double{scaled}, e2m1_format);
    group.elements.push_back(element);
    group.decoded.push_back(double{static_cast<float>(element * group.scale) / global});
  }
  return group;
}

KiviResult kivi(std::span<const float> values, int bits) {
  double low = HUGE_VAL, high = -HUGE_VAL;
  for (const float x : values)
    if (!std::isnan(x)) {
      low = std::min(low, double{x});
      high = std::max(high, double{x});
    }
  if (low > high) low = high = 0;
  low = std::clamp(low, -half_format.largest, half_format.largest);
  high = std::clamp(high, -half_format.largest, half_format.largest);
  const int most = (1 << bits) - 1;
  KiviResult result;
  result.zero = rounded(low, half_format);
  const float range = static_cast<float>(high) - static_cast<float>(low);
  result.step = rounded(double{range / static_cast<float>(most)}, half_format);
  for (const float x : values) {
    double code = 0;
    if (result.step > 0 && !std::isnan(x)) {
      const float above = x - static_cast<float>(result.zero);
      code = std::nearbyint(
          std::clamp(double{above / static_cast<float>(result.step)}, 0.0, double(most)));
    }
    result.codes.push_back(static_cast<int>(code));
  }
  return result;
}

}  // namespace vacancy::gpu::reference
