// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What every registered component says of itself.
struct EntryInfo {
  std::string name;
  std::string summary;   // one sentence
  std::string citation;  // paper, repository or "ours"; empty where there is none
  std::vector<Parameter> parameters;
};

}  // namespace vacancy
