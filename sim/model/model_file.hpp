// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/json/file_key.hpp"
#include "sim/model/geometry.hpp"

namespace vacancy {

/// Reads a model object strictly: types, ranges, unknown keys, fields that contradict each other.
/// `place` is what stands before a key in a message, such as "my.json: /model". Throws one
/// UserError with a line for each fault.
ModelGeometry model_from_json(const nlohmann::json& json, const std::string& place);

std::span<const FileKey> model_keys();

/// Built-in models, sorted.
std::vector<std::string> preset_names();

/// A built-in model; an unknown name is a UserError that lists them.
ModelGeometry preset(std::string_view name);

/// The built-in model as its file is written, to copy and change.
std::string_view preset_text(std::string_view name);

}  // namespace vacancy
