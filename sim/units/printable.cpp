// SPDX-License-Identifier: Apache-2.0
#include "sim/units/printable.hpp"

namespace vacancy {

std::string printable(std::string_view text) {
  constexpr std::size_t longest = 80;
  std::string result(text.substr(0, longest));
  for (char& c : result)
    if (c < ' ' || c > '~') c = '?';
  return text.size() > longest ? result + "..." : result;
}

}  // namespace vacancy
