// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace vacancy::test {

/// The largest of some errors. What is not a number is off by infinity: memory that nobody wrote
/// holds NaN.
class WorstError {
 public:
  void add(double error) {
    worst_ = std::max(worst_, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
  }
  double value() const { return worst_; }

 private:
  double worst_ = 0;
};

}  // namespace vacancy::test
