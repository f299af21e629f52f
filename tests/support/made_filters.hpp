// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace vacancy::test {

/// A file of Q-Filters: so many lines of so many small numbers, no two lines alike.
inline std::vector<char> made_filters(std::size_t lines, std::size_t components) {
  std::string text;
  for (std::size_t line = 0; line < lines; ++line)
    for (std::size_t i = 0; i < components; ++i) {
      const auto number = static_cast<int>((line * 5 + i * 7 + line * i) % 11) - 5;
      text += std::to_string(number) + (i + 1 == components ? '\n' : ' ');
    }
  return {text.begin(), text.end()};
}

}  // namespace vacancy::test
