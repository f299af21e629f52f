// SPDX-License-Identifier: Apache-2.0
#include "sim/units/format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// Commas into a run of digits that may be followed by a decimal point and more.
std::string with_thousands(std::string number) {
  const std::size_t point = std::min(number.find('.'), number.size());
  const std::size_t first = number.starts_with('-') ? 1 : 0;
  for (std::size_t at = point; at > first + 3;) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

std::string fixed(double value, int decimals) {
  // The longest double has 309 digits before the point.
  std::array<char, 400> text;
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value,
                                 std::chars_format::fixed, std::clamp(decimals, 0, 60));
  return {text.data(), end.ptr};
}

std::string without_trailing_zeros(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

struct SizeUnit {
  std::string_view name;
  std::uint64_t bytes;
};

constexpr std::array<SizeUnit, 12> size_units{{{"", 1},
                                               {"b", 1},
                                               {"kb", 1'000},
                                               {"mb", 1'000'000},
                                               {"gb", 1'000'000'000},
                                               {"tb", 1'000'000'000'000},
                                               {"pb", 1'000'000'000'000'000},
                                               {"kib", std::uint64_t{1} << 10},
                                               {"mib", std::uint64_t{1} << 20},
                                               {"gib", std::uint64_t{1} << 30},
                                               {"tib", std::uint64_t{1} << 40},
                                               {"pib", std::uint64_t{1} << 50}}};

std::optional<std::uint64_t> unit_bytes(std::string_view name) {
  for (const SizeUnit& unit : size_units)
    if (std::ranges::equal(name, unit.name, {}, lower)) return unit.bytes;
  return std::nullopt;
}

[[noreturn]] void no_size(std::string_view text, const char* why) {
  throw UserError("\"" + std::string(text.substr(0, 60)) + "\" is not a size: " + why +
                  " Write a number and a unit, such as \"6GiB\", \"512 MiB\" or \"24 GB\".");
}

}  // namespace

std::string format_count(std::uint64_t count) {
  return with_thousands(std::to_string(count));
}

std::string format_decimal(double value, int decimals) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : value < 0 ? "-inf" : "inf";
  return with_thousands(fixed(value, decimals));
}

std::string format_percent(double ratio, int decimals) {
  return format_decimal(ratio * 100.0, decimals) + " %";
}

std::string format_bytes(Bytes bytes) {
  constexpr std::array<std::string_view, 7> units{"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (unit + 1 < units.size() && bytes.value() >> (10 * (unit + 1)) != 0)
    ++unit;
  const double scaled =
      static_cast<double>(bytes.value()) / static_cast<double>(std::uint64_t{1} << (10 * unit));
  return with_thousands(without_trailing_zeros(fixed(scaled, 2))) + " " + std::string(units[unit]);
}

std::string format_duration(SimTime time) {
  constexpr std::uint64_t microsecond = 1'000, millisecond_ns = 1'000'000, second = 1'000'000'000,
                          minute = 60 * second, hour = 60 * minute;
  const bool negative = time.value() < 0;
  // Negation in unsigned arithmetic: the lowest value has no positive counterpart.
  const auto raw = static_cast<std::uint64_t>(time.value());
  const std::uint64_t ns = negative ? 0 - raw : raw;
  const auto scaled = [&](std::uint64_t unit) {
    return without_trailing_zeros(fixed(static_cast<double>(ns) / static_cast<double>(unit), 3));
  };
  std::string text;
  if (ns < microsecond) {
    text = std::to_string(ns) + " ns";
  } else if (ns < millisecond_ns) {
    text = scaled(microsecond) + " µs";
  } else if (ns < second) {
    text = scaled(millisecond_ns) + " ms";
  } else if (ns < minute) {
    text = scaled(second) + " s";
  } else if (ns < hour) {
    text = std::to_string(ns / minute) + " min " + std::to_string(ns % minute / second) + " s";
  } else {
    text = format_count(ns / hour) + " h " + std::to_string(ns % hour / minute) + " min";
  }
  return negative ? "-" + text : text;
}

Bytes parse_bytes(std::string_view text) {
  const auto digits_end = [&](std::size_t from) {
    while (from < text.size() && is_digit(text[from]))
      ++from;
    return from;
  };
  const std::size_t whole_end = digits_end(0);
  if (whole_end == 0) no_size(text, "it does not begin with a digit.");
  std::string_view fraction;
  std::size_t at = whole_end;
  if (at < text.size() && text[at] == '.') {
    const std::size_t end = digits_end(at + 1);
    fraction = text.substr(at + 1, end - at - 1);
    if (fraction.empty()) no_size(text, "no digit follows the point.");
    at = end;
  }
  while (at < text.size() && text[at] == ' ')
    ++at;
  const auto unit = unit_bytes(text.substr(at));
  if (!unit) no_size(text, "the unit is unknown (kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB).");

  std::uint64_t whole = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + whole_end, whole);
  // From the last digit to the first: nested floors give the floor of the whole fraction.
  std::uint64_t part = 0;
  for (std::size_t i = fraction.size(); i-- > 0;)
    part = (static_cast<std::uint64_t>(fraction[i] - '0') * *unit + part) / 10;
  const std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
  if (parsed.ec != std::errc{} || whole > (limit - part) / *unit)
    no_size(text, "it is larger than 2^64 - 1 bytes.");
  return Bytes(whole * *unit + part);
}

}  // namespace vacancy
