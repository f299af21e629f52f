// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vacancy::test {

/// One line of the message that a bad scenario must bring up.
struct ExpectedFault {
  std::string line;                // of the file; or "--set key=value" for a fault of an override
  std::string pointer;             // JSON pointer, "/" for the scenario or the override itself
  std::vector<std::string> words;  // parts of the sentence: the fault and the remedy

  bool of_override() const { return line.starts_with("--"); }
  /// What stands before the sentence, without the name of the file.
  std::string head() const {
    return line + ": " + (of_override() && pointer == "/" ? "" : pointer + ": ");
  }
};

/// Input that must be refused with exactly these faults, all of them at once and in this order.
struct BadScenario {
  std::string name;
  std::string text;
  std::vector<std::string> assignments;
  std::vector<ExpectedFault> faults;
};

const std::vector<BadScenario>& bad_scenarios();

}  // namespace vacancy::test
