// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "sim/registry/parameter.hpp"

namespace vacancy::gui {

/// From the positions of a slider, 0 … steps(), to the values of a numeric key, all in its range.
/// Wide ranges are logarithmic, and where the range has no practical end the slider spans a factor
/// of 16 around `centre`.
class SliderScale {
 public:
  /// Nothing where the key is no number.
  static std::optional<SliderScale> of(const Parameter& parameter, double centre);

  int steps() const { return steps_; }
  double value(int position) const;
  int position(double value) const;
  /// The value as a field shows it.
  std::string entry(int position) const;

 private:
  double low_ = 0, high_ = 1;
  bool whole_ = true, logarithmic_ = false;
  int steps_ = 100;
};

}  // namespace vacancy::gui
