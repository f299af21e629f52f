// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/plot_scale.hpp"

#include <algorithm>
#include <cmath>

#include "sim/sweep/figure_text.hpp"
#include "sim/sweep/sampling.hpp"
#include "sim/units/format.hpp"
#include "sim/units/portable_math.hpp"

namespace vacancy {

namespace {

struct NamedUnit {
  double size;
  const char* name;
};

constexpr NamedUnit byte_units[] = {
    {1, "B"}, {0x1p10, "KiB"}, {0x1p20, "MiB"}, {0x1p30, "GiB"}, {0x1p40, "TiB"}};
constexpr NamedUnit time_units[] = {{1, "ns"}, {1e3, "µs"}, {1e6, "ms"}, {1e9, "s"}};

template <std::size_t n>
NamedUnit largest_within(const NamedUnit (&units)[n], double value) {
  NamedUnit chosen = units[0];
  for (const NamedUnit& unit : units)
    if (value >= unit.size) chosen = unit;
  return chosen;
}

/// 1, 2, 2.5 or 5 times a power of ten, not below `least`, and its decimals.
std::pair<double, int> round_step(double least) {
  double power = 1;
  int decimals = 0;
  for (; power < least; power *= 10)
    --decimals;
  for (; power / 10 >= least; power /= 10)
    ++decimals;
  // least is in (power / 10, power]
  if (power / 5 >= least) return {power / 5, decimals + 1};
  if (power / 4 >= least) return {power / 4, decimals + 2};
  if (power / 2 >= least) return {power / 2, decimals + 1};
  return {power, decimals};
}

}  // namespace

PlotScale::PlotScale(const PlotAxis& axis, double low, double high)
    : logarithmic_(axis.logarithmic) {
  choose_unit(axis, std::max(std::abs(low), std::abs(high)));
  if (!axis.categories.empty()) {
    low_ = -0.5;
    high_ = static_cast<double>(axis.categories.size()) - 0.5;
    for (std::size_t i = 0; i < axis.categories.size(); ++i)
      ticks_.push_back({static_cast<double>(i), axis.categories[i]});
  } else if (logarithmic_) {
    logarithmic_ticks(axis, low, high);
  } else {
    even_ticks(low, high);
  }
}

void PlotScale::choose_unit(const PlotAxis& axis, double high) {
  label_ = axis.label;
  std::string name(axis.unit);
  if (axis.unit == "share") {
    unit_ = 0.01;
    suffix_ = " %";
    name.clear();
  } else if (axis.unit == "bytes" || axis.unit == "ns") {
    const NamedUnit chosen =
        axis.unit == "ns" ? largest_within(time_units, high) : largest_within(byte_units, high);
    unit_ = chosen.size;
    name = chosen.name;
  }
  if (!name.empty()) label_ += " (" + name + ')';
}

void PlotScale::even_ticks(double low, double high) {
  if (low >= 0 && low < 0.6 * high) low = 0;  // little is lost, and lengths can be compared
  if (low == high) {
    const double room = low == 0 ? 1 : std::abs(low) * 0.1;
    low = low >= room ? low - room : low;
    high += room;
  }
  constexpr double intervals = 6;
  const auto [step, decimals] = round_step((high - low) / unit_ / intervals);
  decimals_ = std::max(decimals, 0);
  const double first = std::floor(low / unit_ / step + 1e-9);
  const double last = std::ceil(high / unit_ / step - 1e-9);
  for (double i = first; i <= last; ++i) {
    const double value = tidy(i * step);
    ticks_.push_back({value * unit_, text(value)});
  }
  low_ = ticks_.front().value;
  high_ = ticks_.back().value;
}

void PlotScale::logarithmic_ticks(const PlotAxis& axis, double low, double high) {
  const double margin = low == high ? portable_log(2.0) : 0.03 * portable_log(high / low);
  low_ = portable_log(low) - margin;
  high_ = portable_log(high) + margin;
  for (const double mark : axis.marks)
    ticks_.push_back({mark, text(mark / unit_)});
  if (!ticks_.empty()) return;
  double power = 1;
  for (; power > low / unit_; power /= 10) {
  }
  for (; power * 10 <= low / unit_; power *= 10) {
  }
  // As many as fit: few decades have marks between their ends, many have only some of their ends.
  const double ratio = high / low;
  const std::vector<double> digits = ratio < 10
                                         ? std::vector<double>{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8}
                                     : ratio < 50 ? std::vector<double>{1, 2, 5}
                                                  : std::vector<double>{1};
  const double stride = ratio > 1e16 ? 1e4 : ratio > 1e8 ? 1e2 : 10;
  for (; power * unit_ <= high * 10; power *= stride)
    for (const double digit : digits) {
      const double value = tidy(power * digit);
      const double at = portable_log(value * unit_);
      if (at >= low_ && at <= high_) ticks_.push_back({value * unit_, text(value)});
    }
}

std::string PlotScale::text(double value) const {
  std::string number = decimals_ >= 0 ? format_decimal(value, decimals_) : short_number(value);
  if (decimals_ < 0 && number.find('.') != std::string::npos && number.find('e') == number.npos) {
    number.erase(number.find_last_not_of('0') + 1);
    if (number.ends_with('.')) number.pop_back();
  }
  return number + suffix_;
}

double PlotScale::position(double value) const {
  const double at = logarithmic_ ? portable_log(value) : value;
  return (at - low_) / (high_ - low_);
}

}  // namespace vacancy
