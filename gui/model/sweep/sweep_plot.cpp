// SPDX-License-Identifier: Apache-2.0
#include "gui/model/sweep/sweep_plot.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "gui/model/number_format.hpp"
#include "gui/model/sweep/figure_words.hpp"

namespace vacancy::gui {

namespace {

/// Where 0 stands, and where what has a logarithm begins.
constexpr double zero_place = 0.03, first_logarithm = 0.1;

/// The numbers of names, in the order in which they come.
class Numbers {
 public:
  Numbers() = default;
  explicit Numbers(const std::vector<std::string>& names) {
    for (const std::string& name : names)
      of(name);
  }
  std::size_t of(const std::string& name) {
    const auto [found, is_new] = numbers_.emplace(name, names_.size());
    if (is_new) names_.push_back(name);
    return found->second;
  }
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::unordered_map<std::string, std::size_t> numbers_;
  std::vector<std::string> names_;
};

class PlotBuilder {
 public:
  PlotBuilder(const Sweep& sweep, const SweepResults& results, const PlotChoice& choice,
              const HiddenValues& hidden)
      : sweep_(sweep), results_(results), choice_(choice), hidden_(hidden) {}

  SweepPlot make() {
    read_points();
    if (std::none_of(raw_.begin(), raw_.end(), [](const Raw& raw) { return raw.seen; }))
      return std::move(plot_);
    const PlotScale x(axis(true), low_x_, high_x_), y(axis(false), low_y_, high_y_);
    plot_.x_label = x.label();
    plot_.y_label = y.label();
    if (!choice_.x_axis) plot_.x_key = sweep_.figures[choice_.x_figure].key;
    plot_.y_key = sweep_.figures[choice_.y_figure].key;
    plot_.zero_apart = zeros_;
    plot_.joined = choice_.x_axis.has_value();
    if (choice_.shape_axis) plot_.shape_axis = sweep_.axes[*choice_.shape_axis];
    if (choice_.colour_axis) plot_.colour_axis = sweep_.axes[*choice_.colour_axis];
    const auto place_x = [&](double value) {
      if (!zeros_) return x.position(value);
      return value <= 0 ? zero_place : first_logarithm + (1 - first_logarithm) * x.position(value);
    };
    if (zeros_) plot_.x_ticks.push_back({zero_place, "0"});
    for (const Tick& tick : x.ticks())
      plot_.x_ticks.push_back({place_x(tick.value), tick.text});
    for (const Tick& tick : y.ticks())
      plot_.y_ticks.push_back({y.position(tick.value), tick.text});
    std::vector<std::pair<double, double>> front;
    for (const Raw& raw : raw_) {
      PlotDot dot = raw.dot;
      dot.x = place_x(raw.x);
      dot.y = y.position(raw.y);
      const double low = raw.y - raw.deviation;
      dot.low = choice_.log_y && low <= 0 ? 0 : y.position(low);
      dot.high = y.position(raw.y + raw.deviation);
      if (dot.on_front) front.emplace_back(dot.x, dot.y);
      if (raw.seen) plot_.dots.push_back(dot);
    }
    if (shows_front_) draw_front(std::move(front));
    return std::move(plot_);
  }

 private:
  struct Raw {
    PlotDot dot;
    double x = 0, y = 0, deviation = 0;
    bool seen = true;  // else there for the front alone
  };

  bool categorical() const { return choice_.x_axis && !categories_.names().empty(); }

  void read_points() {
    shows_front_ = is_about_goals();
    if (choice_.x_axis)
      for (const PointResult& point : results_.points)
        if (!point.at[*choice_.x_axis].number && !hidden_.hides(point)) words_ = true;
    const auto numbers = [&](const std::optional<std::size_t>& axis) {
      return axis ? Numbers(values_of_axis(sweep_, &results_, *axis)) : Numbers();
    };
    shapes_ = numbers(choice_.shape_axis);
    colours_ = numbers(choice_.colour_axis);
    low_x_ = low_y_ = std::numeric_limits<double>::infinity();
    high_x_ = high_y_ = -low_x_;
    for (std::size_t row = 0; row < results_.points.size(); ++row)
      add(row, results_.points[row]);
    if (low_x_ > high_x_) low_x_ = high_x_ = 1;  // zeros alone
  }

  std::optional<double> x_of(const PointResult& point) {
    if (!choice_.x_axis) return point.figures[choice_.x_figure].mean;
    const Coordinate& at = point.at[*choice_.x_axis];
    if (!words_) return at.number;
    return static_cast<double>(categories_.of(value_name(at)));
  }

  void add(std::size_t row, const PointResult& point) {
    const bool seen = !hidden_.hides(point);
    if (!seen) ++plot_.hidden;
    if (!seen && !(shows_front_ && point.on_front)) return;
    const auto x = point.state == RunState::empty ? std::nullopt : x_of(point);
    const auto y = point.figures[choice_.y_figure].mean;
    const bool log_x = choice_.log_x && !words_;
    if (!x || !y || (log_x && *x < 0) || (choice_.log_y && *y <= 0)) {
      if (seen) ++plot_.left_out;
      return;
    }
    Raw raw;
    raw.x = *x;
    raw.y = *y;
    raw.deviation = point.figures[choice_.y_figure].deviation.value_or(0);
    raw.dot.row = row;
    raw.dot.on_front = point.on_front;
    raw.seen = seen;
    if (seen && choice_.shape_axis)
      raw.dot.shape = mark(point.at[*choice_.shape_axis], shapes_, plot_.shapes);
    if (seen && choice_.colour_axis)
      raw.dot.colour = mark(point.at[*choice_.colour_axis], colours_, plot_.colours);
    if (log_x && *x == 0) {
      zeros_ = true;
    } else {
      low_x_ = std::min(low_x_, *x);
      high_x_ = std::max(high_x_, *x);
    }
    low_y_ = std::min(low_y_, *y);
    high_y_ = std::max(high_y_, *y);
    raw_.push_back(raw);
  }

  static std::size_t mark(const Coordinate& at, Numbers& numbers,
                          std::map<std::size_t, std::string>& names) {
    const std::string name = value_name(at);
    return names.emplace(numbers.of(name), name).first->first;
  }

  PlotAxis axis(bool is_x) const {
    PlotAxis result;
    if (is_x && choice_.x_axis) {
      result.label = sweep_.axes[*choice_.x_axis];
      result.categories = categories_.names();
    } else {
      const Figure& words = is_x ? x_words_ : y_words_;
      result.label = words.key;
      result.unit = words.unit;
    }
    result.logarithmic = is_x ? choice_.log_x && !categorical() : choice_.log_y;
    return result;
  }

  bool is_about_goals() const {
    if (!sweep_.pareto || choice_.x_axis) return false;
    std::vector<std::size_t> goals = sweep_.pareto->maximize;
    goals.insert(goals.end(), sweep_.pareto->minimize.begin(), sweep_.pareto->minimize.end());
    std::sort(goals.begin(), goals.end());
    std::vector<std::size_t> shown{choice_.x_figure, choice_.y_figure};
    std::sort(shown.begin(), shown.end());
    return goals == shown;
  }

  bool maximizes(std::size_t figure) const {
    const auto& goals = sweep_.pareto->maximize;
    return std::find(goals.begin(), goals.end(), figure) != goals.end();
  }

  /// Between two neighbours on the front the corner is the place that both of them beat.
  void draw_front(std::vector<std::pair<double, double>> points) {
    std::sort(points.begin(), points.end());
    const bool right_is_better = maximizes(choice_.x_figure);
    plot_.better = std::string(maximizes(choice_.y_figure) ? "upper" : "lower") +
                   (right_is_better ? " right" : " left");
    for (const auto& point : points) {
      if (!plot_.front.empty()) {
        const auto before = plot_.front.back();
        plot_.front.push_back(right_is_better ? std::pair(before.first, point.second)
                                              : std::pair(point.first, before.second));
      }
      plot_.front.push_back(point);
    }
  }

  const Sweep& sweep_;
  const SweepResults& results_;
  const PlotChoice& choice_;
  const HiddenValues& hidden_;
  // Axes of the plot refer to their units.
  const Figure x_words_ = in_words(sweep_.figures[choice_.x_figure]);
  const Figure y_words_ = in_words(sweep_.figures[choice_.y_figure]);
  SweepPlot plot_;
  std::vector<Raw> raw_;
  Numbers categories_, shapes_, colours_;
  bool shows_front_ = false, words_ = false, zeros_ = false;
  double low_x_ = 0, high_x_ = 0, low_y_ = 0, high_y_ = 0;
};

}  // namespace

PlotChoice choice_of(const PlotRequest& plot) {
  PlotChoice choice;
  choice.x_axis = plot.x_axis;
  choice.x_figure = plot.x_figure;
  choice.y_figure = plot.y;
  choice.log_x = plot.log_x;
  choice.log_y = plot.log_y;
  if (!plot.series.empty()) choice.shape_axis = plot.series.front();
  if (plot.series.size() > 1) choice.colour_axis = plot.series[1];
  return choice;
}

PlotChoice first_choice(const Sweep& sweep, const SweepResults& results) {
  if (!sweep.plots.empty()) return choice_of(sweep.plots.front());
  PlotChoice choice;
  const auto shown = std::find(results.shown.begin(), results.shown.end(), true);
  choice.y_figure =
      shown == results.shown.end() ? 0 : static_cast<std::size_t>(shown - results.shown.begin());
  if (!sweep.axes.empty()) choice.x_axis = 0;
  if (sweep.axes.size() > 1) choice.shape_axis = 1;
  if (sweep.axes.size() > 2) choice.colour_axis = 2;
  return choice;
}

SweepPlot make_plot(const Sweep& sweep, const SweepResults& results, const PlotChoice& choice,
                    const HiddenValues& hidden) {
  return PlotBuilder(sweep, results, choice, hidden).make();
}

std::string plot_caption(const SweepPlot& plot) {
  std::vector<std::string> parts;
  if (!plot.better.empty()) parts.push_back(plot.better + " is better");
  parts.push_back(counted(plot.dots.size(), "point"));
  // Several points at one place make no step.
  if (std::any_of(plot.front.begin(), plot.front.end(),
                  [&](const auto& corner) { return corner != plot.front.front(); }))
    parts.emplace_back(plot.hidden > 0 ? "steps: Pareto front of all points"
                                       : "steps: Pareto front");
  if (plot.colours.size() > 1) parts.emplace_back("equal points nest");
  const auto spread = [](const PlotDot& dot) { return dot.high > dot.low; };
  if (std::any_of(plot.dots.begin(), plot.dots.end(), spread))
    parts.emplace_back("bars: ± a standard deviation over seeds");
  if (plot.left_out > 0)
    parts.push_back(counted(plot.left_out, "point") + " left out, without a value here");
  if (plot.hidden > 0) parts.push_back(counted(plot.hidden, "point") + " filtered out");
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : " · ") + part;
  return text;
}

std::optional<std::size_t> dot_at(const SweepPlot& plot, double x, double y, double width,
                                  double height, double reach) {
  std::optional<std::size_t> nearest;
  double least = reach;
  for (std::size_t i = 0; i < plot.dots.size(); ++i) {
    const PlotDot& dot = plot.dots[i];
    const double distance = std::hypot(dot.x * width - x, (1 - dot.y) * height - y);
    if (distance > least) continue;
    least = distance;
    nearest = i;
  }
  return nearest;
}

}  // namespace vacancy::gui
