// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "sim/sweep/results.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy::gui {

/// What a point's value on an axis is called.
std::string value_name(const Coordinate& at);

/// The values of an axis by these names, in the order of the file: of a grid all of them, else
/// those that results have so far. More results add to the end.
std::vector<std::string> values_of_axis(const Sweep& sweep, const SweepResults* results,
                                        std::size_t axis);

/// Values of axes whose points are not to be seen. What nobody hid is seen, whenever it comes up.
class HiddenValues {
 public:
  void set_hidden(std::size_t axis, const std::string& value, bool hidden);
  bool hides(std::size_t axis, const std::string& value) const;
  bool hides(const PointResult& point) const;

 private:
  std::map<std::size_t, std::set<std::string>> of_axis_;
};

/// "1, 4 · 1 of 3 hidden": the values that are seen, and how many are not.
std::string values_text(const std::vector<std::string>& values, const HiddenValues& hidden,
                        std::size_t axis);

}  // namespace vacancy::gui
