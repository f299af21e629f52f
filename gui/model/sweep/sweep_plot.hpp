// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gui/model/sweep/axis_values.hpp"
#include "sim/sweep/plot_scale.hpp"
#include "sim/sweep/results.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy::gui {

/// What a plot shows: two quantities of each point, and axes that its mark tells apart.
struct PlotChoice {
  std::optional<std::size_t> x_axis;  // an axis of the sweep; else x_figure counts
  std::size_t x_figure = 0, y_figure = 0;
  std::optional<std::size_t> shape_axis, colour_axis;
  bool log_x = false, log_y = false;

  bool operator==(const PlotChoice&) const = default;
};

/// A row of the results. x from the left, y from below, both 0 … 1 of the plot's inside.
struct PlotDot {
  std::size_t row = 0;
  double x = 0, y = 0;
  double low = 0, high = 0;  // one deviation below and above y
  std::size_t shape = 0, colour = 0;
  bool on_front = false;
};

struct PlotTick {
  double at;  // 0 … 1
  std::string text;
};

struct SweepPlot {
  std::string x_label, y_label;
  std::string x_key, y_key;  // of figures, as a sweep file has them; empty for an axis
  std::vector<PlotTick> x_ticks, y_ticks;
  bool zero_apart = false;  // the first tick of a logarithmic x is 0, apart from the others
  bool joined = false;  // x is an axis: points of one shape and colour follow each other along it
  /// Names of marks by their numbers, of dots that are there; empty where all are alike. A value's
  /// mark stays the same whatever else is hidden.
  std::map<std::size_t, std::string> shapes, colours;
  std::string shape_axis, colour_axis;  // what they are values of
  std::vector<PlotDot> dots;
  /// The Pareto front of all points, hidden ones too, as corners of its steps from left to right,
  /// where the two quantities are what it is about.
  std::vector<std::pair<double, double>> front;
  std::string better;          // "upper left", where the front is drawn
  std::uint64_t left_out = 0;  // points without a value, or without a logarithm
  std::uint64_t hidden = 0;    // points that values of axes hide
};

/// The quantities of a plot that a sweep asks for.
PlotChoice choice_of(const PlotRequest& plot);

/// Sensible quantities for a sweep: those of its first plot, of its goals, or the first ones.
PlotChoice first_choice(const Sweep& sweep, const SweepResults& results);

/// What the drawing does not say of itself: "upper left is better · 39 points · …".
std::string plot_caption(const SweepPlot& plot);

SweepPlot make_plot(const Sweep& sweep, const SweepResults& results, const PlotChoice& choice,
                    const HiddenValues& hidden = {});

/// The dot nearest to a place in a plot of that size in pixels, if it is within `reach` of it.
std::optional<std::size_t> dot_at(const SweepPlot& plot, double x, double y, double width,
                                  double height, double reach);

}  // namespace vacancy::gui
