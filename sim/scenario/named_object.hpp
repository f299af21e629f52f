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
#include "sim/serving/engine_profile.hpp"

namespace vacancy {

nlohmann::ordered_json to_json(const JsonNode& node);

// What the key `model`, `device` or `engine.profile` names: something built in, a file, or an
// inline object. `name` is the key's checked text, empty for an inline object. Nothing after a
// fault.
std::optional<ModelGeometry> named_model(const JsonNode& root, const std::string& name,
                                         Diagnostics& faults);
std::optional<Device> named_device(const JsonNode& root, const std::string& name,
                                   Diagnostics& faults);
std::optional<EngineProfile> named_engine(const JsonNode& root, const std::string& name,
                                          Diagnostics& faults);

}  // namespace vacancy
