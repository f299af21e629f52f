// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/json_node.hpp"

namespace vacancy::gui {

/// A value that differs from the file's.
struct ValueChange {
  std::string path;          // dotted
  std::string in_file, now;  // as a field shows them; empty: not written
  bool operator==(const ValueChange&) const = default;
};

/// The values that differ, in the order of `now`, those that went last. Order and formatting count
/// for nothing. None where one of the two is no JSON object.
std::vector<ValueChange> value_changes(std::string_view file_text,
                                       const std::optional<JsonNode>& now);

}  // namespace vacancy::gui
