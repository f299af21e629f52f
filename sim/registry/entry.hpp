// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What every registered component says of itself.
struct EntryInfo {
  std::string name;
  std::string summary;   // one sentence
  std::string citation;  // paper, repository or "ours"; empty where there is none
  std::vector<Parameter> parameters;
  /// Settings outside its own parameters that the entry brings where the user is silent: key,
  /// value.
  std::vector<std::pair<std::string, std::string>> settings = {};
};

/// "Unless set: scope model, trigger slack." or nothing.
inline std::string settings_sentence(const EntryInfo& info) {
  std::string text;
  for (const auto& [key, value] : info.settings)
    text.append(text.empty() ? "Unless set: " : ", ").append(key).append(" ").append(value);
  return text.empty() ? text : text + '.';
}

}  // namespace vacancy
