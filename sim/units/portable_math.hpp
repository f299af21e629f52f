// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstdint>

// Elementary functions from additions, multiplications and one division each, in a fixed order.
//
// The C library picks its exp, log, sin and cos by the CPU it finds (with or without fused
// multiply-add), so their last bits differ between machines. These do not: every result that they
// feed is the same on any IEEE-754 machine and at any optimisation level. They have no branches, so
// loops over them vectorise; arguments must lie in the range that each one names.

namespace vacancy {

namespace portable_math {
/// Adding this to |x| < 2^51 rounds x to an integer, which then stands in the low bits.
inline constexpr double round_shift = 0x1.8p52;
inline constexpr double ln2_high = 0x1.62e42feep-1;  // 32 bits: exact times any exponent
inline constexpr double ln2_low = 0x1.a39ef35793c76p-33;
}  // namespace portable_math

/// e^x within 2 units in the last place, for x in [-708, 709].
inline double portable_exp(double x) {
  using namespace portable_math;
  const double shifted = x * 0x1.71547652b82fep0 + round_shift;  // log2(e)
  const double n = shifted - round_shift;
  const double r = (x - n * ln2_high) - n * ln2_low;  // |r| <= ln(2)/2
  double sum = 1.0 / 479001600;                       // Taylor series of e^r up to r^12
  sum = sum * r + 1.0 / 39916800;
  sum = sum * r + 1.0 / 3628800;
  sum = sum * r + 1.0 / 362880;
  sum = sum * r + 1.0 / 40320;
  sum = sum * r + 1.0 / 5040;
  sum = sum * r + 1.0 / 720;
  sum = sum * r + 1.0 / 120;
  sum = sum * r + 1.0 / 24;
  sum = sum * r + 1.0 / 6;
  sum = sum * r + 0.5;
  sum = sum * r + 1.0;
  sum = sum * r + 1.0;
  const auto scale = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;  // 2^n
  return sum * std::bit_cast<double>(scale);
}

/// The same in single precision, for x in [-87, 88].
inline float portable_exp(float x) {
  constexpr float shift = 0x1.8p23f;
  const float shifted = x * 0x1.715476p0f + shift;  // log2(e)
  const float n = shifted - shift;
  const float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;  // ln(2) in 16 bits, and the rest
  float sum = 1.0f / 5040;
  sum = sum * r + 1.0f / 720;
  sum = sum * r + 1.0f / 120;
  sum = sum * r + 1.0f / 24;
  sum = sum * r + 1.0f / 6;
  sum = sum * r + 0.5f;
  sum = sum * r + 1.0f;
  sum = sum * r + 1.0f;
  const auto scale = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;  // 2^n
  return sum * std::bit_cast<float>(scale);
}

/// ln(x) for normal x > 0, error below 1e-15 (absolute near x = 1, else relative).
inline double portable_log(double x) {
  using namespace portable_math;
  constexpr auto one = std::bit_cast<std::uint64_t>(1.0);
  constexpr auto root_half = std::bit_cast<std::uint64_t>(0x1.6a09e667f3bcdp-1);
  // x = 2^n · m with m in [sqrt(1/2), sqrt(2)).
  const std::uint64_t biased = std::bit_cast<std::uint64_t>(x) + (one - root_half);
  const double n = std::bit_cast<double>(std::uint64_t{0x4330000000000000} | (biased >> 52)) -
                   (0x1.0p52 + 1023.0);
  const double m = std::bit_cast<double>((biased & 0xFFFFFFFFFFFFF) + root_half);
  const double s = (m - 1.0) / (m + 1.0);  // ln(m) = 2 artanh(s), |s| < 0.172
  const double z = s * s;
  double sum = 1.0 / 19;
  sum = sum * z + 1.0 / 17;
  sum = sum * z + 1.0 / 15;
  sum = sum * z + 1.0 / 13;
  sum = sum * z + 1.0 / 11;
  sum = sum * z + 1.0 / 9;
  sum = sum * z + 1.0 / 7;
  sum = sum * z + 1.0 / 5;
  sum = sum * z + 1.0 / 3;
  sum = sum * z + 1.0;
  return n * ln2_high + (2.0 * s * sum + n * ln2_low);
}

/// The same in single precision, error below 2e-7.
inline float portable_log(float x) {
  constexpr auto one = std::bit_cast<std::uint32_t>(1.0f);
  constexpr auto root_half = std::bit_cast<std::uint32_t>(0x1.6a09e6p-1f);
  const std::uint32_t biased = std::bit_cast<std::uint32_t>(x) + (one - root_half);
  const float n =
      std::bit_cast<float>(std::uint32_t{0x4B000000} | (biased >> 23)) - (0x1.0p23f + 127.0f);
  const float m = std::bit_cast<float>((biased & 0x7FFFFF) + root_half);
  const float s = (m - 1.0f) / (m + 1.0f);
  const float z = s * s;
  float sum = 1.0f / 9;
  sum = sum * z + 1.0f / 7;
  sum = sum * z + 1.0f / 5;
  sum = sum * z + 1.0f / 3;
  sum = sum * z + 1.0f;
  return n * 0x1.62e4p-1f + (2.0f * s * sum + n * 0x1.7f7d1cp-20f);  // ln(2) in two parts
}

/// base^exponent for base > 0.
inline double portable_pow(double base, double exponent) {
  return portable_exp(exponent * portable_log(base));
}

struct SinCos {
  double sin, cos;
};

/// Sine and cosine of an angle in turns (1 = 2 pi), |turns| < 2^40; error below 1e-15 plus what
/// the argument's own rounding brings.
inline SinCos portable_sincos(double turns) {
  using namespace portable_math;
  const double quarters = turns * 4.0;
  const double shifted = quarters + round_shift;
  const double x = (quarters - (shifted - round_shift)) * 0x1.921fb54442d18p0;  // |x| <= pi/4
  const double z = x * x;
  double sine = -1.0 / 1307674368000;  // Taylor series up to x^15 and x^16
  sine = sine * z + 1.0 / 6227020800;
  sine = sine * z - 1.0 / 39916800;
  sine = sine * z + 1.0 / 362880;
  sine = sine * z - 1.0 / 5040;
  sine = sine * z + 1.0 / 120;
  sine = sine * z - 1.0 / 6;
  sine = sine * z * x + x;
  double cosine = 1.0 / 20922789888000;
  cosine = cosine * z - 1.0 / 87178291200;
  cosine = cosine * z + 1.0 / 479001600;
  cosine = cosine * z - 1.0 / 3628800;
  cosine = cosine * z + 1.0 / 40320;
  cosine = cosine * z - 1.0 / 720;
  cosine = cosine * z + 1.0 / 24;
  cosine = cosine * z - 0.5;
  cosine = cosine * z + 1.0;
  const auto quadrant = std::bit_cast<std::uint64_t>(shifted);
  const double s = (quadrant & 1) != 0 ? cosine : sine;
  const double c = (quadrant & 1) != 0 ? sine : cosine;
  return {(quadrant & 2) != 0 ? -s : s, ((quadrant + 1) & 2) != 0 ? -c : c};
}

struct SinCosF {
  float sin, cos;
};

/// The same in single precision, for |turns| <= 2, error below 3e-7.
inline SinCosF portable_sincos(float turns) {
  constexpr float shift = 0x1.8p23f;
  const float quarters = turns * 4.0f;
  const float shifted = quarters + shift;
  const float x = (quarters - (shifted - shift)) * 0x1.921fb6p0f;
  const float z = x * x;
  float sine = 1.0f / 362880;
  sine = sine * z - 1.0f / 5040;
  sine = sine * z + 1.0f / 120;
  sine = sine * z - 1.0f / 6;
  sine = sine * z * x + x;
  float cosine = 1.0f / 40320;
  cosine = cosine * z - 1.0f / 720;
  cosine = cosine * z + 1.0f / 24;
  cosine = cosine * z - 0.5f;
  cosine = cosine * z + 1.0f;
  // Odd quarters swap sine and cosine; bit 1 of the quarter (plus one) is the sine's (cosine's)
  // sign. Masks instead of choices, because comparisons keep this out of vector registers.
  const auto quadrant = std::bit_cast<std::uint32_t>(shifted);
  const std::uint32_t swap = 0u - (quadrant & 1u);
  const auto a = std::bit_cast<std::uint32_t>(sine), b = std::bit_cast<std::uint32_t>(cosine);
  const std::uint32_t difference = (a ^ b) & swap;
  return {std::bit_cast<float>(a ^ difference ^ ((quadrant & 2u) << 30)),
          std::bit_cast<float>(b ^ difference ^ (((quadrant + 1u) & 2u) << 30))};
}

}  // namespace vacancy
