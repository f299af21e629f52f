// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <span>

#include "sim/units/portable_math.hpp"

namespace vacancy {

/// Replaces finite values, at least one, by their softmax.
inline void to_softmax(std::span<double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0;
  for (double& value : values) {
    value = portable_exp(std::max(value - largest, -700.0));
    sum += value;
  }
  for (double& value : values)
    value /= sum;
}

}  // namespace vacancy
