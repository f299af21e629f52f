// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "sim/metrics/summary.hpp"

namespace vacancy {

/// The object "reclaim" of summary.json.
nlohmann::ordered_json to_json(const Summary::Reclaim& reclaim);

}  // namespace vacancy
