// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/device/device.hpp"
#include "sim/model/geometry.hpp"
#include "sim/scenario/diagnostics.hpp"
#include "sim/scenario/json_node.hpp"

namespace vacancy {

nlohmann::ordered_json to_json(const JsonNode& node);

// What the key `model` or `device` names: something built in, a file, or an inline object. `name`
// is the key's checked text, empty for an inline object. Nothing after a fault.
std::optional<ModelGeometry> named_model(const JsonNode& root, const std::string& name,
                                         Diagnostics& faults);
std::optional<Device> named_device(const JsonNode& root, const std::string& name,
                                   Diagnostics& faults);

}  // namespace vacancy
