// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <set>

#include "sim/eviction/registry.hpp"

using namespace vacancy;

namespace {

/// The default lies in the range and has the type that the parameter names.
bool default_fits(const Parameter& p) {
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

bool is_snake_case(const std::string& name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '_';
  });
}

}  // namespace

TEST_CASE("every policy file is registered under its own name, and nothing else is") {
  std::set<std::string> files, names;
  for (const auto& file :
       std::filesystem::directory_iterator(VACANCY_SOURCE_DIR "/sim/eviction/policies"))
    if (file.path().extension() == ".cpp") files.insert(file.path().stem().string());
  for (const PolicyEntry& entry : policies())
    names.insert(entry.info.name);
  CHECK(names == files);
  CHECK(names.size() == policies().size());  // no name twice
}

TEST_CASE("a policy is found by its name only") {
  for (const PolicyEntry& entry : policies())
    CHECK(find_policy(entry.info.name) == &entry);
  CHECK(find_policy("") == nullptr);
  CHECK(find_policy("h20") == nullptr);
}

TEST_CASE("every policy and parameter explains itself") {
  for (const PolicyEntry& entry : policies()) {
    INFO(entry.info.name);
    CHECK(is_snake_case(entry.info.name));
    REQUIRE_FALSE(entry.info.summary.empty());
    CHECK(entry.info.summary.back() == '.');
    CHECK(entry.make != nullptr);
    std::set<std::string> names;
    for (const Parameter& parameter : entry.info.parameters) {
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
}
