// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace vacancy::test {

/// A sweep file that must be refused: where its fault stands, and words of its sentence.
struct BadSweep {
  std::string name, text;
  std::vector<std::string> assignments;
  std::string head;                // "3: /axes/grid/0", or "--set …"
  std::vector<std::string> words;  // the fault and the remedy
};

const std::vector<BadSweep>& bad_sweeps();

}  // namespace vacancy::test
