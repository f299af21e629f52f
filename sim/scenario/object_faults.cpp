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

std::string pointer_named_in(std::string_view sentence, const JsonNode& root,
                             const std::string& pointer) {
  const JsonNode* object = find_node(root, pointer);
  if (!object || pointer.empty()) return pointer;
  std::string path = pointer.substr(1) + '/';
  std::ranges::replace(path, '/', '.');
  const std::size_t start = sentence.find(path);
  if (start == std::string_view::npos) return pointer;
  const std::string_view named = sentence.substr(start + path.size());
  const std::string key(
      named.substr(0, named.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789")));
  return object->find(key) ? child_pointer(pointer, key) : pointer;
}

}  // namespace vacancy
