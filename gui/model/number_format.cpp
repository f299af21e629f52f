// SPDX-License-Identifier: Apache-2.0
#include "gui/model/number_format.hpp"

#include <array>
#include <cmath>

#include "sim/units/format.hpp"

namespace vacancy::gui {

namespace {

constexpr std::string_view space = "\u00a0";
constexpr std::string_view minus = "\u2212";

/// A text that begins with a hyphen begins with a minus.
std::string with_minus(std::string text) {
  if (!text.empty() && text.front() == '-') text.replace(0, 1, minus);
  return text;
}

bool rounds_to_zero(double value, int decimals) {
  return std::abs(value) * std::pow(10.0, decimals) < 0.5;
}

std::string with_sign(double value, int decimals) {
  const std::string text = format_decimal(std::abs(value), decimals);
  return (value < 0 ? std::string(minus) : "+") + text;
}

}  // namespace

std::string number(std::int64_t value) {
  const auto size =
      value < 0 ? ~static_cast<std::uint64_t>(value) + 1 : static_cast<std::uint64_t>(value);
  return (value < 0 ? std::string(minus) : "") + format_count(size);
}

std::string decimal(double value, int decimals) {
  if (rounds_to_zero(value, decimals)) value = 0;  // no "−0.0"
  return with_minus(format_decimal(value, decimals));
}

std::string percent(double ratio) {
  if (!std::isfinite(ratio)) return "–";
  return decimal(ratio * 100, 1).append(space) + '%';
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return (format_count(count) + ' ').append(noun) + (count == 1 ? "" : "s");
}

std::string part_of(std::uint64_t part, std::uint64_t whole, std::string_view noun) {
  return format_count(part) + " of " + counted(whole, noun);
}

std::string range(std::uint64_t first, std::uint64_t last) {
  return first == last ? format_count(first) : format_count(first) + " – " + format_count(last);
}

std::string seconds(std::int64_t nanoseconds) {
  return decimal(static_cast<double>(nanoseconds) / 1e9, 3).append(space) + 's';
}

std::string bytes(std::uint64_t value) {
  static constexpr std::array<std::string_view, 6> units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  auto scaled = static_cast<double>(value);
  while (scaled >= 1024 && unit + 1 < units.size()) {
    scaled /= 1024;
    ++unit;
  }
  return format_decimal(scaled, unit == 0 ? 0 : 1).append(space).append(units[unit]);
}

std::string speed(double factor) {
  const bool whole = factor >= 1 && std::abs(factor - std::round(factor)) < 0.05;
  int decimals = whole ? 0 : 1;
  while (!whole && decimals < 3 && factor * std::pow(10.0, decimals) < 0.95)
    ++decimals;
  return "×" + format_decimal(factor, decimals);
}

std::string difference(std::int64_t value) {
  if (value == 0) return "same";
  return (value > 0 ? "+" : "") + number(value);
}

std::string difference(double value, int decimals) {
  return rounds_to_zero(value, decimals) ? "same" : with_sign(value, decimals);
}

std::string difference_pp(double ratio) {
  if (rounds_to_zero(ratio * 100, 1)) return "same";
  return with_sign(ratio * 100, 1).append(space) + "pp";
}

}  // namespace vacancy::gui
