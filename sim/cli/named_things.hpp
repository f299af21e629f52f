// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "sim/device/device.hpp"
#include "sim/model/geometry.hpp"
#include "sim/serving/engine_profile.hpp"

namespace vacancy {

// A model, a device or an engine profile that an argument names: a built-in name or a file, read as
// strictly as in a scenario. Throws UserError.
ModelGeometry model_of_argument(const std::string& argument);
Device device_of_argument(const std::string& argument);
EngineProfile engine_of_argument(const std::string& argument);

/// The longest of `names` that occurs in a longer name such as "meta-llama/Llama-3.1-8B-Instruct"
/// or "NVIDIA GeForce RTX 4090", letters and digits compared; empty if none does.
std::string name_within(const std::string& longer, const std::vector<std::string>& names);

}  // namespace vacancy
