// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "sim/device/step_work.hpp"
#include "sim/metrics/latency.hpp"
#include "sim/run_log/run_log.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// No step: what never happened.
inline constexpr std::uint32_t no_step = std::numeric_limits<std::uint32_t>::max();

struct SimulatedStep {
  StepWork work;
  SimTime composed;  // when it was put together; requests of it are scheduled then
  /// When it began to compute: at the end of the step before, unless the engine stood idle.
  SimTime begin, end;
  // The gauges when its output had been processed and the next step was composed.
  std::uint32_t running = 0, waiting = 0, used_blocks = 0;
};

/// Indices into the steps. The order of the requests is that of the log.
struct SimulatedRequest {
  SimTime queued;
  std::uint32_t first_scheduled = no_step, first_token = no_step, last_token = no_step;
};

/// A simulation of the run that a log recorded, on a clock whose 0 is the first queued request.
struct SimulatedRun {
  std::vector<SimulatedStep> steps;
  std::vector<SimulatedRequest> requests;
  std::uint64_t preemptions = 0;
  std::uint64_t recomputed_tokens = 0;
  std::uint64_t hit_tokens_first_admission = 0, hit_tokens_readmission = 0;
};

/// The same run as the log, all but the times of its steps.
using Simulate = std::function<SimulatedRun(const StepTimeCoefficients&)>;

/// The simulated stamps beside the log's lengths.
std::vector<RequestTimes> simulated_times(const SimulatedRun& run, const RunLog& log);

}  // namespace vacancy
