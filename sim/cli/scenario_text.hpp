// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// A scenario file, read once: it may be a pipe.
class ScenarioText {
 public:
  /// Throws UserError where the file cannot be read, or is a sweep; `instead` says what to do with
  /// one.
  ScenarioText(std::string file, const std::string& instead);

  const std::string& file() const { return file_; }
  /// Throws UserError that lists every fault.
  Scenario load(const ScenarioOverrides& overrides) const;

 private:
  std::string file_, text_;
};

}  // namespace vacancy
