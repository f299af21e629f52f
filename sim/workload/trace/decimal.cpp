// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/trace/decimal.hpp"

#include <algorithm>
#include <limits>

namespace vacancy {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::size_t digits_end(std::string_view text, std::size_t from) {
  while (from < text.size() && is_digit(text[from]))
    ++from;
  return from;
}

struct Parts {
  bool well_formed = false, negative = false;
  std::string_view whole, fraction;
  std::int64_t exponent = 0;
};

Parts split(std::string_view text) {
  Parts parts;
  std::size_t at = 0;
  if (text.starts_with('-')) {
    parts.negative = true;
    at = 1;
  }
  std::size_t end = digits_end(text, at);
  parts.whole = text.substr(at, end - at);
  if (parts.whole.empty() || (parts.whole.size() > 1 && parts.whole[0] == '0')) return parts;
  at = end;
  if (at < text.size() && text[at] == '.') {
    end = digits_end(text, at + 1);
    parts.fraction = text.substr(at + 1, end - at - 1);
    if (parts.fraction.empty()) return parts;
    at = end;
  }
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    ++at;
    const bool minus = at < text.size() && text[at] == '-';
    if (minus || (at < text.size() && text[at] == '+')) ++at;
    end = digits_end(text, at);
    if (end == at) return parts;
    // Beyond this every number is 0 or too large, whatever its digits; no line has so many.
    constexpr std::int64_t enough = std::int64_t{1} << 40;
    for (; at < end; ++at)
      parts.exponent = std::min(enough, parts.exponent * 10 + (text[at] - '0'));
    if (minus) parts.exponent = -parts.exponent;
  }
  parts.well_formed = at == text.size();
  return parts;
}

}  // namespace

ScaledDecimal scaled_decimal(std::string_view text, int power) {
  const Parts parts = split(text);
  if (!parts.well_formed) return {DecimalFault::malformed, 0};
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  std::int64_t value = 0;
  bool zero = true;
  // The power of ten that the next digit counts.
  std::int64_t weight = static_cast<std::int64_t>(parts.whole.size()) - 1 + parts.exponent + power;
  const auto append = [&](std::int64_t digit) {
    if (value > (largest - digit) / 10) return false;
    value = value * 10 + digit;
    return true;
  };
  for (const std::string_view digits : {parts.whole, parts.fraction}) {
    for (const char c : digits) {
      const std::int64_t digit = c - '0';
      zero = zero && digit == 0;
      if (weight >= 0) {
        if (!append(digit)) return {DecimalFault::too_large, 0};
      } else if (weight == -1 && digit >= 5) {
        if (value == largest) return {DecimalFault::too_large, 0};
        ++value;
      }
      --weight;
    }
  }
  for (; weight >= 0 && value > 0; --weight)
    if (!append(0)) return {DecimalFault::too_large, 0};
  if (parts.negative && !zero) return {DecimalFault::negative, 0};
  return {DecimalFault::none, value};
}

}  // namespace vacancy
