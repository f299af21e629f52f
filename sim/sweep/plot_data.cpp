// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "sim/sweep/plot.hpp"
#include "sim/units/counted.hpp"

namespace vacancy {

namespace {

constexpr std::size_t most_marks = 12;

class PlotMaker {
 public:
  PlotMaker(const Sweep& sweep, const SweepResults& results, const PlotRequest& request)
      : sweep_(sweep), results_(results), request_(request) {}

  Plot make() {
    plot_.title = request_.title;
    plot_.y = figure_axis(request_.y, request_.log_y);
    plot_.x = request_.x_axis ? swept_axis() : figure_axis(request_.x_figure, request_.log_x);
    plot_.lines = request_.x_axis.has_value();
    for (const std::size_t axis : request_.series)
      plot_.legend += (plot_.legend.empty() ? "" : " · ") + sweep_.axes[axis];
    for (const PointResult& point : results_.points)
      add(point);
    for (PlotSeries& series : plot_.series)
      if (plot_.lines) std::ranges::stable_sort(series.points, {}, &PlotPoint::x);
    std::ranges::stable_sort(plot_.front, {}, &PlotPoint::x);
    if (left_out_ > 0) plot_.note = counted(left_out_, "point") + " without a logarithm left out";
    return std::move(plot_);
  }

 private:
  PlotAxis figure_axis(std::size_t index, bool logarithmic) const {
    const Figure& figure = sweep_.figures[index];
    return {figure.key, figure.unit, logarithmic, {}, {}};
  }

  /// Numbers where all values are; else names in the order of the points.
  PlotAxis swept_axis() const {
    const std::size_t axis = *request_.x_axis;
    PlotAxis result{sweep_.axes[axis], "", request_.log_x, {}, {}};
    const bool numeric = std::ranges::all_of(results_.points, [axis](const PointResult& point) {
      return point.at[axis].number.has_value();
    });
    for (const PointResult& point : results_.points) {
      const Coordinate& at = point.at[axis];
      if (numeric)
        add_new(result.marks, *at.number);
      else
        add_new(result.categories, at.text);
    }
    std::ranges::sort(result.marks);
    if (result.marks.size() > most_marks) result.marks.clear();
    return result;
  }

  template <class Value>
  static void add_new(std::vector<Value>& values, const Value& value) {
    if (std::ranges::find(values, value) == values.end()) values.push_back(value);
  }

  std::optional<double> x_of(const PointResult& point) const {
    if (!request_.x_axis) return point.figures[request_.x_figure].mean;
    const Coordinate& at = point.at[*request_.x_axis];
    if (plot_.x.categories.empty()) return at.number;
    const auto found = std::ranges::find(plot_.x.categories, at.text);
    return static_cast<double>(found - plot_.x.categories.begin());
  }

  std::string series_of(const PointResult& point) const {
    std::string name;
    for (const std::size_t axis : request_.series)
      name += (name.empty() ? "" : " · ") + point.at[axis].text;
    return name;
  }

  void add(const PointResult& point) {
    const Spread& y = point.figures[request_.y];
    const auto x = x_of(point);
    if (point.state == RunState::empty || !x || !y.mean) return;
    if ((request_.log_x && *x <= 0) || (request_.log_y && *y.mean <= 0)) {
      ++left_out_;
      return;
    }
    const std::string name = series_of(point);
    auto series = std::ranges::find(plot_.series, name, &PlotSeries::name);
    if (series == plot_.series.end()) {
      plot_.series.push_back({name, {}});
      series = plot_.series.end() - 1;
    }
    series->points.push_back({*x, *y.mean, y.deviation});
    if (point.on_front && shows_front()) plot_.front.push_back({*x, *y.mean, {}});
  }

  /// The front is a line where the two figures are what it is about.
  bool shows_front() const {
    if (!sweep_.pareto || request_.x_axis) return false;
    std::vector<std::size_t> goals = sweep_.pareto->maximize;
    goals.insert(goals.end(), sweep_.pareto->minimize.begin(), sweep_.pareto->minimize.end());
    std::ranges::sort(goals);
    return goals == std::vector{std::min(request_.x_figure, request_.y),
                                std::max(request_.x_figure, request_.y)};
  }

  const Sweep& sweep_;
  const SweepResults& results_;
  const PlotRequest& request_;
  Plot plot_;
  std::uint64_t left_out_ = 0;
};

}  // namespace

Plot plot_of(const Sweep& sweep, const SweepResults& results, const PlotRequest& request) {
  return PlotMaker(sweep, results, request).make();
}

}  // namespace vacancy
