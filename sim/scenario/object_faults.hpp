// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// Gives each line "/key: sentence" of an ObjectReader's message its place in the object at
/// `pointer`.
void add_object_faults(const std::string& message, const JsonNode& object,
                       const std::string& pointer, Diagnostics& faults);

/// The member of the object at `pointer` that a sentence names first, as eviction.swap.floor;
/// `pointer` itself if it names none that the document has.
std::string pointer_named_in(std::string_view sentence, const JsonNode& root,
                             const std::string& pointer);

}  // namespace vacancy
