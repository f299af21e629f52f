// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "sim/json/object_reader.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// An object of a sweep file that is being read. Its members' faults get their places when it goes.
class ObjectAt {
 public:
  /// `place` is that of sweep_keys(): other keys are faults.
  ObjectAt(const JsonNode& node, std::string pointer, std::string_view place, Diagnostics& faults);
  ~ObjectAt();
  ObjectAt(const ObjectAt&) = delete;
  ObjectAt& operator=(const ObjectAt&) = delete;

  /// The members that ObjectReader can read.
  ObjectReader& read() { return reader_; }
  bool has(std::string_view key) const { return node_.find(key) != nullptr; }
  /// The member, or null.
  const JsonNode* find(std::string_view key) const { return node_.find(key); }
  /// The member if it is an array that is not empty; another value leaves a fault.
  const JsonNode* list(std::string_view key, const std::string& of_what);
  std::string pointer(std::string_view key) const { return child_pointer(pointer_, key); }
  Place place() const { return node_.place; }

  void fault(std::string_view key, std::string sentence);
  /// A fault of the object itself.
  void fault(std::string sentence) { faults_.add(node_.place, pointer_, std::move(sentence)); }

 private:
  const JsonNode& node_;
  std::string pointer_;
  Diagnostics& faults_;
  nlohmann::json json_;
  ObjectReader reader_;
};

}  // namespace vacancy
