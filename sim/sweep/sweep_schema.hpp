// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace vacancy {

/// JSON Schema (2020-12) of sweep files.
nlohmann::ordered_json sweep_json_schema();

}  // namespace vacancy
