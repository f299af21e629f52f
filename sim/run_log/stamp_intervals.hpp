// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/run_log/run_log.hpp"
#include "sim/run_log/simulated_run.hpp"

namespace vacancy {

/// The time between two consecutive stamps, which is the time of the steps between them. Stamps of
/// first and last tokens are exact ends of steps (spec rtx4090_run §1).
struct StampInterval {
  SimTime from, to;                     // measured
  std::uint32_t first_step, last_step;  // simulated: the steps of the interval, both included
  SimTime idle;                         // simulated: when no step ran meanwhile
};

/// All intervals but the first, in which the engine still makes up for its cold start. Where the
/// simulation has two stamps in one step, or in the wrong order, there is none.
std::vector<StampInterval> stamp_intervals(const RunLog& log, const SimulatedRun& run);

}  // namespace vacancy
