// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>

namespace vacancy {

/// As a power of ten.
inline constexpr int seconds_to_nanoseconds = 9;

enum class DecimalFault { none, malformed, negative, too_large };

struct ScaledDecimal {
  DecimalFault fault = DecimalFault::none;
  std::int64_t value = 0;
};

/// A decimal number as JSON writes it (sign, digits, point, exponent) times 10^power, exactly; what
/// remains behind the point then is rounded to the nearest integer, ties away from 0. Independent
/// of the locale, and without a detour through binary fractions. Negative numbers are a fault, -0
/// is not.
ScaledDecimal scaled_decimal(std::string_view text, int power);

}  // namespace vacancy
