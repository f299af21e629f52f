// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// Turns checked values into a scenario: builds what the registries name, puts explicit values in
/// the place of defaults, and holds the sections against each other. What depends on a faulty value
/// is left out, so that one fault does not bring up others. Without faults the scenario is
/// complete.
Scenario resolve_scenario(const JsonNode& root, ScenarioValues values, Diagnostics& faults);

}  // namespace vacancy
