// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy::gpu::reference {

/// A binary format without infinities in use: `digits` significant bits, last places not below
/// 2^last_place, values up to `largest`.
struct NumberFormat {
  int digits, last_place;
  double largest;
};
inline constexpr NumberFormat bf16_format{8, -133, 0x1.FEp127};
inline constexpr NumberFormat half_format{11, -24, 65504};
inline constexpr NumberFormat e4m3_format{4, -9, 448};
inline constexpr NumberFormat e5m2_format{3, -16, 57344};
inline constexpr NumberFormat e2m1_format{2, -1, 6};

/// To the nearest value of the format, ties to even, saturating; x is a number.
double rounded(double x, const NumberFormat& format);

/// By the tables of the formats' definitions: sign, exponent, fraction.
double e4m3_value(std::uint8_t code);  // NaN for 0x7F and 0xFF
double e5m2_value(std::uint8_t code);
double e2m1_value(std::uint8_t code);
double bf16_value(std::uint16_t code);
double half_value(std::uint16_t code);

/// NVFP4 of one group of 16 numbers, the rules of docs/gpu.md in steps of float where they say
/// float.
struct Nvfp4Group {
  std::vector<double> elements;  // E2M1 values
  double scale = 0;              // E4M3
  std::vector<double> decoded;   // before rounding to a wider format
};
Nvfp4Group nvfp4(std::span<const float> values, float global);

/// KIVI of one group.
struct KiviResult {
  double zero = 0, step = 0;
  std::vector<int> codes;
};
KiviResult kivi(std::span<const float> values, int bits);

}  // namespace vacancy::gpu::reference
