// SPDX-License-Identifier: Apache-2.0
#include "sim/scenario/object_faults.hpp"

#include <algorithm>

namespace vacancy {

void add_object_faults(const std::string& message, const JsonNode& object,
                       const std::string& pointer, Diagnostics& faults) {
  std::size_t start = 0;
  while (start < message.size()) {
    const std::size_t end = std::min(message.find('\n', start), message.size());
    const std::string line = message.substr(start, end - start);
    start = end + 1;
    const std::size_t colon = line.find(": ");
    if (line.front() != '/' || colon == std::string::npos) {
      faults.add(object.place, pointer, line);
      continue;
    }
    const std::string inner = line.substr(0, colon);
    faults.add(place_of(object, inner), pointer + inner, line.substr(colon + 2));
  }
}

}  // namespace vacancy
