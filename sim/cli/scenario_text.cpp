// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/scenario_text.hpp"

#include <filesystem>
#include <utility>

#include "sim/scenario/json_document.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

ScenarioText::ScenarioText(std::string file, const std::string& instead)
    : file_(std::move(file)), text_(read_text_file(file_)) {
  if (is_sweep_text(text_))
    throw UserError(file_ + ": is a sweep, many scenarios in one. " + instead);
}

Scenario ScenarioText::load(const ScenarioOverrides& overrides) const {
  return load_scenario_text(text_, file_, std::filesystem::path(file_).parent_path(), overrides);
}

}  // namespace vacancy
