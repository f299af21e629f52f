// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/results.hpp"

#include <algorithm>
#include <cmath>

#include "sim/sweep/pareto.hpp"

namespace vacancy {

namespace {

PointResult result_of(const Sweep& sweep, const std::map<std::uint64_t, RunRecord>& records,
                      std::uint64_t point) {
  PointResult result;
  result.point = point;
  result.at = point_at(sweep.sampling, point).at;
  result.runs = sweep.runs_per_point();
  std::vector<const RunRecord*> runs;
  for (std::uint64_t i = 0; i < result.runs; ++i)
    runs.push_back(&records.at(point * result.runs + i));
  const auto has = [&](RunState state) {
    return std::ranges::find(runs, state, &RunRecord::state);
  };
  for (const RunState state :
       {RunState::failed, RunState::unfinished, RunState::done, RunState::empty}) {
    const auto found = has(state);
    if (found == runs.end()) continue;
    result.state = state;
    result.reason = (*found)->reason;
    break;
  }
  result.completed =
      static_cast<std::uint64_t>(std::ranges::count(runs, RunState::done, &RunRecord::state));
  const RunState counted = result.completed > 0 ? RunState::done : RunState::unfinished;
  for (const Figure& figure : sweep.figures) {
    std::vector<double> values;
    for (const RunRecord* run : runs)
      if (run->state == counted)
        if (const auto value = figure_of(run->summary, figure.key)) values.push_back(*value);
    result.figures.push_back(spread_of(values));
  }
  return result;
}

std::vector<bool> shown_figures(const Sweep& sweep, const std::vector<PointResult>& points) {
  std::vector<bool> shown;
  for (std::size_t i = 0; i < sweep.figures.size(); ++i)
    shown.push_back(!sweep.default_figures ||
                    std::ranges::any_of(points, [i](const PointResult& point) {
                      return point.figures[i].count > 0;
                    }));
  return shown;
}

}  // namespace

Spread spread_of(const std::vector<double>& values) {
  Spread spread;
  spread.count = values.size();
  if (values.empty()) return spread;
  if (std::ranges::all_of(values, [&](double value) { return value == values.front(); })) {
    spread.mean = values.front();  // a sum divided again may differ from it
    return spread;
  }
  const auto count = static_cast<double>(values.size());
  double sum = 0, squares = 0;
  for (const double value : values)
    sum += value;
  const double mean = sum / count;
  for (const double value : values)
    squares += (value - mean) * (value - mean);
  spread.mean = mean;
  if (values.size() > 1) spread.deviation = std::sqrt(squares / (count - 1));
  return spread;
}

std::uint64_t SweepResults::count(RunState state) const {
  return static_cast<std::uint64_t>(std::ranges::count(points, state, &PointResult::state));
}

SweepResults results_of(const Sweep& sweep, const std::map<std::uint64_t, RunRecord>& records,
                        std::uint64_t limit) {
  SweepResults results;
  for (std::uint64_t point = 0; point < limit; ++point)
    results.points.push_back(result_of(sweep, records, point));
  results.shown = shown_figures(sweep, results.points);
  if (sweep.pareto) mark_front(*sweep.pareto, results.points);
  return results;
}

}  // namespace vacancy
