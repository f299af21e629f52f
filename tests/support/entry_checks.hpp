// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <set>
#include <string>

#include "sim/registry/entry.hpp"

namespace vacancy::test {

/// The default lies in the range and has the type that the parameter names.
inline bool default_fits(const Parameter& p) {
  if (std::holds_alternative<std::monostate>(p.default_value)) return p.optional;
  const auto in_range = [&](double value) {
    return value >= p.minimum.value_or(value) && value <= p.maximum.value_or(value);
  };
  switch (p.type) {
    case ParameterType::boolean:
      return std::holds_alternative<bool>(p.default_value);
    case ParameterType::integer:
      return std::holds_alternative<std::int64_t>(p.default_value) &&
             in_range(static_cast<double>(std::get<std::int64_t>(p.default_value)));
    case ParameterType::number:
      return std::holds_alternative<double>(p.default_value) &&
             in_range(std::get<double>(p.default_value));
    case ParameterType::choice: {
      const auto* name = std::get_if<std::string>(&p.default_value);
      return name != nullptr &&
             std::find(p.choices.begin(), p.choices.end(), *name) != p.choices.end();
    }
    case ParameterType::text:
    case ParameterType::path:
      return std::holds_alternative<std::string>(p.default_value);
  }
  return false;
}

inline bool is_snake_case(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

/// What every registered component owes its users: names in the project's style, sentences, ranges,
/// and defaults that its own rules allow.
inline void check_explains_itself(const EntryInfo& info) {
  CHECK(is_snake_case(info.name));
  REQUIRE_FALSE(info.summary.empty());
  CHECK(info.summary.back() == '.');
  std::set<std::string> names;
  for (const Parameter& parameter : info.parameters) {
    INFO(parameter.name);
    CHECK(is_snake_case(parameter.name));
    CHECK(names.insert(parameter.name).second);
    REQUIRE_FALSE(parameter.help.empty());
    CHECK(parameter.help.back() == '.');
    if (parameter.type == ParameterType::integer || parameter.type == ParameterType::number)
      CHECK((parameter.minimum && parameter.maximum));
    if (parameter.type == ParameterType::choice) CHECK(parameter.choices.size() > 1);
    CHECK(default_fits(parameter));
  }
}

}  // namespace vacancy::test
