// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/sweep/plot.hpp"

namespace vacancy {

struct Tick {
  double value;
  std::string text;
};

/// From the values of an axis to [0, 1], with ticks at round numbers.
class PlotScale {
 public:
  /// `low` and `high` of the data; above 0 where the axis is logarithmic.
  PlotScale(const PlotAxis& axis, double low, double high);

  double position(double value) const;
  const std::vector<Tick>& ticks() const { return ticks_; }
  /// The axis' label with the unit of the ticks.
  const std::string& label() const { return label_; }

 private:
  void choose_unit(const PlotAxis& axis, double high);
  void even_ticks(double low, double high);
  void logarithmic_ticks(const PlotAxis& axis, double low, double high);
  std::string text(double value) const;

  bool logarithmic_;
  double low_ = 0, high_ = 1;  // of the axis; logarithms where it is logarithmic
  double unit_ = 1;            // ticks count in it
  int decimals_ = -1;          // of the ticks; -1: as each needs
  std::string suffix_, label_;
  std::vector<Tick> ticks_;
};

}  // namespace vacancy
