// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "sim/scenario/json_node.hpp"
#include "sim/scenario/schema.hpp"

namespace vacancy::gui {

// Between what a field shows and what a file says. What does not fit the key becomes a value all
// the same, so that the check of the scenario says what is wrong with it.

/// What a field shows of a value: "16,000", "unlimited", "6GiB", "true"; an object as JSON.
std::string entry_of(const JsonNode& value);
std::string entry_of(const ParameterValue& value);

/// The JSON of an entry. Nothing for an empty one, unless the key is a text that may be empty: the
/// key is not written then.
std::optional<std::string> json_of_entry(const SchemaKey& key, std::string_view entry);

/// "16,000" -> "16000"; a text that is no grouped number stays.
std::string without_groups(std::string_view entry);

/// "block_size" -> "Block size".
std::string title_of(std::string_view name);

/// What a field whose key is not written shows: the default, or that the method or the model gives
/// it.
std::string default_entry(const Parameter& parameter);

}  // namespace vacancy::gui
