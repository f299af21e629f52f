// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <vector>

#include "sim/run_log/run_log.hpp"

namespace vacancy {

// The files of a run log, each checked by itself.

RunLogMeta read_run_meta(const std::filesystem::path& file);
std::vector<MeasuredRequest> read_measured_requests(const std::filesystem::path& file);
std::vector<MeasuredTick> read_measured_ticks(const std::filesystem::path& file, SimTime tick);

}  // namespace vacancy
