// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"
#include "sim/sweep/sampling.hpp"

namespace vacancy {

/// Reads the object `axes` of a sweep file. After a fault the result is not complete.
Sampling read_axes(const JsonNode& axes, const std::string& pointer, Diagnostics& faults);

/// Reads an object of dotted paths and values.
std::vector<Setting> read_settings(const JsonNode& object, const std::string& pointer,
                                   Diagnostics& faults);

}  // namespace vacancy
