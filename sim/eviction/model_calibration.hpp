// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "sim/attention/calibration.hpp"
#include "sim/eviction/registry.hpp"

namespace vacancy {

/// Reads query statistics and holds them against the scenario's model; `place` is the parameter
/// that names the file. The rotary base is the model's, whatever the file says: a published one is
/// wrong.
Calibration calibration_of_model(const std::filesystem::path& written, const PolicyContext& context,
                                 const std::string& place);

}  // namespace vacancy
