// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "sim/units/error.hpp"

namespace vacancy {

/// What it costs a request, or all of them, that a block goes. An integer, so that ties are ties
/// and every build finds the same sets: uses are counts, and attention is rounded by the caller to
/// a unit of his choice.
using Loss = std::int64_t;

/// What one freed block or page is worth, in units of loss: a fraction, as the slopes are at which
/// sets change. The denominator is positive.
struct Price {
  std::int64_t numerator = 0, denominator = 1;
};

/// gain · price − loss, times the price's denominator: exact.
inline std::int64_t value(std::int64_t gain, Loss loss, Price price) {
  __extension__ using Wide = __int128;
  const Wide exact = Wide{gain} * price.numerator - Wide{loss} * price.denominator;
  // Sums of as many values as there are blocks still fit.
  constexpr Wide most = std::numeric_limits<std::int64_t>::max() / 4;
  VACANCY_ASSERT(exact <= most && exact >= -most, "losses × blocks stay below 2^61");
  return static_cast<std::int64_t>(exact);
}

}  // namespace vacancy
