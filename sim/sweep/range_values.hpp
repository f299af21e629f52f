// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/scenario/json_node.hpp"
#include "sim/sweep/object_at.hpp"

namespace vacancy {

/// The values of an axis that has `from` and `to`, and one of `step`, `factor` and `log_steps`.
/// None after a fault.
std::vector<JsonNode> range_values(ObjectAt& axis);

}  // namespace vacancy
