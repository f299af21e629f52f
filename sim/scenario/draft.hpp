// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

// The steps of load_scenario, for whoever changes a scenario's tree in between.

/// The tree of a scenario's text; nothing where it is no JSON object.
std::optional<JsonNode> parse_scenario(std::string_view text, std::uint32_t origin,
                                       Diagnostics& faults);

/// Checks and resolves, with another seed than the tree's if there is one. Nothing after a fault.
std::optional<Scenario> resolve_scenario(const JsonNode& root, std::optional<std::uint64_t> seed,
                                         Diagnostics& faults);

}  // namespace vacancy
