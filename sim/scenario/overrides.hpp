// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

/// The keys of a dotted path such as "eviction.budget"; none if one of them would be empty.
std::vector<std::string> keys_of_path(std::string_view path);

/// Puts a value where these keys lead. Objects on the way that are not there are made; a value that
/// is there is replaced. What is on the way and no object is a fault at the value's place.
void assign(JsonNode& root, const std::vector<std::string>& keys, JsonNode value,
            Diagnostics& faults);

/// Says of a value and all in it that it was written in another file or override.
void set_origin(JsonNode& node, std::uint32_t origin);

/// Applies `--set path=value` texts to a tree: dotted paths, values in JSON or bare words.
void apply_overrides(const std::vector<std::string>& overrides, JsonNode& root,
                     Diagnostics& faults);

}  // namespace vacancy
