// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// Gives each line "/key: sentence" of an ObjectReader's message its place in the object at
/// `pointer`.
void add_object_faults(const std::string& message, const JsonNode& object,
                       const std::string& pointer, Diagnostics& faults);

}  // namespace vacancy
