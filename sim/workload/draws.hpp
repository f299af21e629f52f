// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <cstdint>

#include "sim/units/philox.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

// Draws from random words, the same on every machine.

/// Uniform in (0, 1), on the odd multiples of 2^-54: never 0 or 1, so that logarithms are finite.
inline double open_unit_interval(std::uint32_t high, std::uint32_t low) {
  const std::uint64_t bits = (std::uint64_t{high} << 32 | low) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1.0p-53;
}

/// Normal with mean 0, by Box and Muller (Ann. Math. Stat. 29, 1958).
inline double normal_draw(double deviation, const PhiloxCounter& words) {
  const double radius = std::sqrt(-2 * portable_log(open_unit_interval(words[0], words[1])));
  return deviation * radius * portable_sincos(open_unit_interval(words[2], words[3])).cos;
}

}  // namespace vacancy
