// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/json_node.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy::gui {

/// What `vacancy validate` says about one place of a scenario.
struct FormFault {
  std::string pointer, sentence;
  std::uint32_t line = 1;
  std::string message;  // the whole line, with file, line and pointer
};

/// A text as a scenario. Without a tree it is no JSON object; without a scenario it has faults.
struct CheckedScenario {
  std::optional<JsonNode> tree;
  std::vector<FormFault> faults;  // in the order of the text
  std::optional<Scenario> scenario;

  /// Notes of the scenario, and why it cannot run here.
  std::vector<std::string> notes() const {
    return scenario ? scenario->notes : std::vector<std::string>{};
  }
  bool can_run() const { return scenario && !scenario->obstacle; }
  /// The faults of the value at this pointer: its own, and those of what stands in it.
  std::vector<const FormFault*> faults_at(std::string_view pointer) const;
};

/// Reads and checks as load_scenario_text() does.
CheckedScenario check_scenario(std::string_view text, const std::string& name,
                               const std::filesystem::path& folder);

}  // namespace vacancy::gui
