// SPDX-License-Identifier: Apache-2.0
#include "sim/sweep/figure_text.hpp"

#include <charconv>
#include <cmath>

#include "sim/units/format.hpp"

namespace vacancy {

std::string short_number(double value) {
  const double size = std::abs(value);
  if (value == std::floor(value) && size < 1e15) return format_decimal(value, 0);
  if (size < 1e-3 || size >= 1e15) {
    char digits[32];
    const auto end =
        std::to_chars(digits, digits + sizeof digits, value, std::chars_format::scientific, 3);
    return {digits, end.ptr};
  }
  int decimals = 3;
  for (double edge = 10; size >= edge && decimals > 0; edge *= 10)
    --decimals;
  for (double edge = 1; size < edge && decimals < 6; edge /= 10)
    ++decimals;
  return format_decimal(value, decimals);
}

std::string value_text(double value, std::string_view unit) {
  if (unit == "share") return format_percent(value);
  if (unit == "bytes" && value >= 0) return format_bytes(Bytes(std::uint64_t(std::llround(value))));
  if (unit == "ns") return format_duration(SimTime(std::llround(value)));
  return short_number(value);
}

std::string figure_text(const Spread& spread, std::string_view unit) {
  if (!spread.mean) return "–";
  std::string text = value_text(*spread.mean, unit);
  if (!spread.deviation) return text;
  if (unit == "share") text.erase(text.rfind(" %"));
  return text + " ± " + value_text(*spread.deviation, unit);
}

std::string heading_of(const Figure& figure) {
  const bool in_cells = figure.unit.empty() || figure.unit == "share" || figure.unit == "bytes" ||
                        figure.unit == "ns";
  return in_cells ? figure.key : figure.key + " (" + figure.unit + ')';
}

}  // namespace vacancy
