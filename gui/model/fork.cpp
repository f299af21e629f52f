// SPDX-License-Identifier: Apache-2.0
#include "gui/model/fork.hpp"

#include <utility>

#include "sim/reclaim/registry.hpp"
#include "sim/registry/parameter.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

std::vector<std::string> assignments_of(const std::string& reclaimer) {
  const ReclaimerEntry* const entry = find_reclaimer(reclaimer);
  VACANCY_ASSERT(entry != nullptr, "a registered reclaimer");
  std::vector<std::string> assignments = {"reclaim.kind=" + reclaimer};
  if (entry->movement != Movement::in_place) assignments.push_back("reclaim.shared=suffix");
  if (entry->movement == Movement::none || entry->whole_blocks())
    for (const char* rule : {"reclaim.min_hole_share=0", "reclaim.min_blocks=0"})
      assignments.emplace_back(rule);
  return assignments;
}

std::string fork_obstacle(const Scenario& scenario) {
  const bool evicts = scenario.serving ? scenario.serving->evicts : scenario.policy != "full";
  return evicts ? ""
                : "This scenario evicts nothing, so that there is nothing to reclaim: set "
                  "eviction.policy.";
}

void check_fork(const Scenario& run, const Scenario& other) {
  if (std::string obstacle = fork_obstacle(run); !obstacle.empty())
    throw UserError(std::move(obstacle));
  const Scope before = run.cache.layout.scope(), after = other.cache.layout.scope();
  if (before == after) return;
  throw UserError("With reclaim.kind=" + other.reclaimer + " keep sets have the scope " +
                  std::string(enum_name(after)) + ", and in this run they have " +
                  std::string(enum_name(before)) +
                  " from its start on: it cannot change on the way. Set reclaim.kind in a copy of "
                  "the scenario, and compare the two runs.");
}

}  // namespace vacancy::gui
