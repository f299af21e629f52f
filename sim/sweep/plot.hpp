// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/results.hpp"

namespace vacancy {

struct PlotAxis {
  std::string label;
  std::string_view unit;
  bool logarithmic = false;
  std::vector<std::string> categories;  // values 0, 1, 2 … have names instead of numbers
  std::vector<double> marks;            // values that deserve a tick of their own
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<double> deviation;  // of y
};

struct PlotSeries {
  std::string name;  // empty where there is only one
  std::vector<PlotPoint> points;
};

struct Plot {
  std::string title, note;
  PlotAxis x, y;
  bool lines = false;  // join the points of a series
  std::string legend;  // what the names of the series are
  std::vector<PlotSeries> series;
  std::vector<PlotPoint> front;  // of the Pareto front, along x
};

/// What a request shows of the results. Points without a value, or without a logarithm where one
/// is needed, are left out; `note` says how many.
Plot plot_of(const Sweep& sweep, const SweepResults& results, const PlotRequest& request);

/// The plot as a drawing: the same plot, the same bytes.
std::string plot_svg(const Plot& plot);

}  // namespace vacancy
