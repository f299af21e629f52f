// SPDX-License-Identifier: Apache-2.0
#include "sim/conformance/case_reader.hpp"

#include <cmath>
#include <limits>

#include "sim/units/error.hpp"

namespace vacancy {

namespace {

[[noreturn]] void wrong(const char* name, const char* what) {
  throw UserError(std::string("field \"") + name + "\" " + what);
}

std::uint32_t number(const nlohmann::json& value, const char* name) {
  if (!value.is_number_unsigned() ||
      value.get<std::uint64_t>() > std::numeric_limits<std::uint32_t>::max())
    wrong(name, "is not a whole number from 0 to 4294967295");
  return value.get<std::uint32_t>();
}

}  // namespace

const nlohmann::json& case_field(const nlohmann::json& object, const char* name) {
  if (!object.is_object()) wrong(name, "is looked for in something that is not an object");
  const auto found = object.find(name);
  if (found == object.end()) wrong(name, "is missing");
  return *found;
}

std::uint32_t case_number(const nlohmann::json& object, const char* name) {
  return number(case_field(object, name), name);
}

bool case_flag(const nlohmann::json& object, const char* name) {
  const auto& value = case_field(object, name);
  if (!value.is_boolean()) wrong(name, "is neither true nor false");
  return value.get<bool>();
}

const std::string& case_text(const nlohmann::json& object, const char* name) {
  const auto& value = case_field(object, name);
  if (!value.is_string()) wrong(name, "is not a string");
  return value.get_ref<const std::string&>();
}

std::vector<std::uint32_t> case_numbers(const nlohmann::json& object, const char* name) {
  const auto& value = case_field(object, name);
  if (!value.is_array()) wrong(name, "is not a list");
  std::vector<std::uint32_t> numbers;
  for (const auto& item : value)
    numbers.push_back(number(item, name));
  return numbers;
}

void Comparison::compare(const char* name, const nlohmann::json& actual) {
  const auto expected = expect_.find(name);
  if (!difference_.empty() || expected == expect_.end() || actual == *expected) return;
  difference_ =
      where_ + ": " + name + " is " + actual.dump() + ", the engine printed " + expected->dump();
}

void Comparison::ratio(const char* name, double value) {
  const auto expected = expect_.find(name);
  if (!difference_.empty() || expected == expect_.end()) return;
  if (!expected->is_number() || std::fabs(expected->get<double>() - value) > 1e-6)
    difference_ = where_ + ": " + name + " is " + std::to_string(value) + ", the engine printed " +
                  expected->dump();
}

}  // namespace vacancy
