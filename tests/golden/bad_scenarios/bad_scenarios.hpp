// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vacancy::test {

/// One line of the message that a bad scenario must bring up.
struct ExpectedFault {
  std::string line;                // of the file; or "--set key=value" for a fault of an override
  std::string pointer;             // JSON pointer, "/" for the scenario itself
  std::vector<std::string> words;  // parts of the sentence: the fault and the remedy
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
