// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/registry/parameter.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

enum class Presence { optional, required };

/// An object of a lesson that is being read: every member has the form that is asked for, or leaves
/// a fault at its place and reads as absent.
class StrictObject {
 public:
  /// Keys other than these are faults. What is no object leaves one and reads as empty.
  StrictObject(const JsonNode& node, std::string pointer,
               std::initializer_list<std::string_view> keys, Diagnostics& faults);

  const JsonNode* find(std::string_view key) const;
  bool has(std::string_view key) const { return find(key) != nullptr; }
  std::string pointer(std::string_view key) const { return child_pointer(pointer_, key); }

  /// One line, not empty.
  std::string text(std::string_view key, Presence presence = Presence::optional);
  std::vector<std::string> texts(std::string_view key, Presence presence = Presence::optional);
  std::optional<double> number(std::string_view key, double low, double high);
  std::optional<std::uint64_t> integer(std::string_view key, std::uint64_t low, std::uint64_t high);
  bool flag(std::string_view key);
  /// A list that is not empty.
  const JsonNode* list(std::string_view key, Presence presence = Presence::optional);

  template <class Enum>
  std::optional<Enum> choice(std::string_view key, Presence presence = Presence::optional) {
    std::vector<std::string> names;
    for (const auto& entry : EnumNames<Enum>::table)
      names.emplace_back(entry.name);
    const std::string name = choice_name(key, names, presence);
    return name.empty() ? std::nullopt : enum_value<Enum>(name);
  }

  void fault(std::string_view key, std::string sentence);
  void missing(std::string_view key, const std::string& expected);

 private:
  const JsonNode* member(std::string_view key, Presence presence, const std::string& expected);
  std::string choice_name(std::string_view key, const std::vector<std::string>& names,
                          Presence presence);

  const JsonNode& node_;
  std::string pointer_;
  Diagnostics& faults_;
};

/// A text of one line that is not empty; else a fault.
std::string line_of(const JsonNode& node, const std::string& pointer, Diagnostics& faults);

}  // namespace vacancy
