// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace vacancy {

/// The schema of scenario files as JSON Schema, draft 2020-12, for editors. Rules that hold keys
/// against each other are not in it.
nlohmann::ordered_json scenario_json_schema();

}  // namespace vacancy
