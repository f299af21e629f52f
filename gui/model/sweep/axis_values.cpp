// SPDX-License-Identifier: Apache-2.0
#include "gui/model/sweep/axis_values.hpp"

#include <algorithm>
#include <iterator>
#include <unordered_set>
#include <variant>

#include "sim/units/format.hpp"

namespace vacancy::gui {

std::string value_name(const Coordinate& at) {
  return at.text.empty() ? "as in the scenario" : at.text;
}

std::vector<std::string> values_of_axis(const Sweep& sweep, const SweepResults* results,
                                        std::size_t axis) {
  std::vector<std::string> values;
  std::unordered_set<std::string> known;
  const auto add = [&](const Coordinate& at) {
    const std::string name = value_name(at);
    if (known.insert(name).second) values.push_back(name);
  };
  if (const Grid* grid = std::get_if<Grid>(&sweep.sampling)) {
    for (const GridAxis::Value& value : grid->axes[axis].values)
      add(value.at);
  } else if (results) {
    for (const PointResult& point : results->points)
      add(point.at[axis]);
  }
  return values;
}

void HiddenValues::set_hidden(std::size_t axis, const std::string& value, bool hidden) {
  if (hidden)
    of_axis_[axis].insert(value);
  else
    of_axis_[axis].erase(value);
}

bool HiddenValues::hides(std::size_t axis, const std::string& value) const {
  const auto values = of_axis_.find(axis);
  return values != of_axis_.end() && values->second.contains(value);
}

bool HiddenValues::hides(const PointResult& point) const {
  return std::any_of(of_axis_.begin(), of_axis_.end(), [&](const auto& entry) {
    return entry.second.contains(value_name(point.at[entry.first]));
  });
}

std::string values_text(const std::vector<std::string>& values, const HiddenValues& hidden,
                        std::size_t axis) {
  constexpr std::size_t most = 8;
  std::vector<std::string> seen;
  std::copy_if(values.begin(), values.end(), std::back_inserter(seen),
               [&](const std::string& value) { return !hidden.hides(axis, value); });
  const std::size_t hides = values.size() - seen.size(), sees = seen.size();
  if (sees > most) {
    seen.resize(most - 1);
    seen.push_back("… " + format_count(sees) + " in all");
  }
  std::string text;
  for (const std::string& value : seen)
    text += (text.empty() ? "" : ", ") + value;
  if (hides == 0) return text;
  return text + (text.empty() ? "" : " · ") + format_count(hides) + " of " +
         format_count(values.size()) + " hidden";
}

}  // namespace vacancy::gui
