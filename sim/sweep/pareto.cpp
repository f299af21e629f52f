// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/pareto.hpp"

#include <algorithm>

namespace vacancy {

namespace {

/// What is to be large, of a point; nothing if it does not take part.
std::vector<double> merits(const ParetoGoals& goals, const PointResult& point) {
  std::vector<double> result;
  if (point.state != RunState::done) return result;
  const auto add = [&](const std::vector<std::size_t>& figures, double sign) {
    for (const std::size_t index : figures)
      if (const auto mean = point.figures[index].mean) result.push_back(sign * *mean);
  };
  add(goals.maximize, 1);
  add(goals.minimize, -1);
  if (result.size() < goals.maximize.size() + goals.minimize.size()) result.clear();
  return result;
}

bool beats(const std::vector<double>& a, const std::vector<double>& b) {
  bool better = false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] < b[i]) return false;
    better = better || a[i] > b[i];
  }
  return better;
}

}  // namespace

void mark_front(const ParetoGoals& goals, std::vector<PointResult>& points) {
  std::vector<std::vector<double>> all;
  for (const PointResult& point : points)
    all.push_back(merits(goals, point));
  for (std::size_t i = 0; i < points.size(); ++i)
    points[i].on_front =
        !all[i].empty() && std::ranges::none_of(all, [&](const std::vector<double>& other) {
          return !other.empty() && beats(other, all[i]);
        });
}

}  // namespace vacancy
