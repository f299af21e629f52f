// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vacancy {

/// A field of a case, an operation or an expectation. A missing or mistyped one is a UserError that
/// names it; check_corpus adds file and line.
const nlohmann::json& case_field(const nlohmann::json& object, const char* name);
std::uint32_t case_number(const nlohmann::json& object, const char* name);
bool case_flag(const nlohmann::json& object, const char* name);
const std::string& case_text(const nlohmann::json& object, const char* name);
std::vector<std::uint32_t> case_numbers(const nlohmann::json& object, const char* name);

/// What came out of one operation beside what the engine printed. Remembers the first difference.
class Comparison {
 public:
  /// `where`: "op 12 (admit)".
  Comparison(std::string where, const nlohmann::json& expect)
      : where_(std::move(where)), expect_(expect) {}

  /// Fields that are not in the expectation are not compared.
  template <class T>
  void field(const char* name, const T& value) {
    compare(name, nlohmann::json(value));
  }
  /// The same within 1e-6.
  void ratio(const char* name, double value);
  const std::string& difference() const { return difference_; }

 private:
  void compare(const char* name, const nlohmann::json& actual);

  std::string where_;
  const nlohmann::json& expect_;
  std::string difference_;
};

}  // namespace vacancy
