// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// Applies `--set path=value` texts to a tree: dotted paths, values in JSON or bare words. Objects
/// on the way that are not there are made; a value that is there is replaced.
void apply_overrides(const std::vector<std::string>& overrides, JsonNode& root,
                     Diagnostics& faults);

}  // namespace vacancy
