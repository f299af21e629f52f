// SPDX-License-Identifier: Apache-2.0
#include "sim/units/number_ranges.hpp"

#include <algorithm>
#include <charconv>

#include "sim/units/error.hpp"

namespace vacancy {

NumberRanges parse_number_ranges(std::string_view text, const std::string& place) {
  NumberRanges ranges;
  const char* at = text.data();
  const char* const end = at + text.size();
  const auto fail = [&] {
    throw UserError(place + ": cannot read \"" + std::string(text) +
                    "\"; write numbers and ascending ranges such as \"0-3,17,40-63\".");
  };
  const auto number = [&] {
    std::uint32_t value = 0;
    while (at != end && *at == ' ')
      ++at;
    const auto [rest, fault] = std::from_chars(at, end, value);
    if (fault != std::errc{}) fail();
    for (at = rest; at != end && *at == ' ';)
      ++at;
    return value;
  };
  while (at != end) {
    const std::uint32_t first = number();
    std::uint32_t last = first;
    if (at != end && *at == '-') {
      ++at;
      last = number();
    }
    if (last < first) fail();
    ranges.emplace_back(first, last);
    if (at == end) break;
    if (*at != ',' || ++at == end) fail();
  }
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

}  // namespace vacancy
