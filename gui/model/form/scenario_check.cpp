// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/scenario_check.hpp"

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/draft.hpp"

namespace vacancy::gui {

std::vector<const FormFault*> CheckedScenario::faults_at(std::string_view pointer) const {
  std::vector<const FormFault*> found;
  for (const FormFault& fault : faults) {
    const std::string_view whole = fault.pointer;
    if (whole.substr(0, pointer.size()) == pointer &&
        (whole.size() == pointer.size() || whole[pointer.size()] == '/'))
      found.push_back(&fault);
  }
  return found;
}

CheckedScenario check_scenario(std::string_view text, const std::string& name,
                               const std::filesystem::path& folder) {
  Diagnostics faults(name, folder);
  CheckedScenario result;
  result.tree = parse_scenario(text, 0, faults);
  if (result.tree) result.scenario = resolve_scenario(*result.tree, std::nullopt, faults);
  for (const Diagnostics::Fault& fault : faults.in_order())
    result.faults.push_back({fault.pointer, fault.sentence, fault.place.line,
                             faults.head(fault.place, fault.pointer) + ": " + fault.sentence});
  return result;
}

}  // namespace vacancy::gui
