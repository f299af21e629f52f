// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>

#include "sim/run_log/replayed_arrivals.hpp"
#include "sim/run_log/simulated_run.hpp"
#include "sim/simulation/serving_config.hpp"

namespace vacancy {

/// The limits of a measured run, taken from its log, under an engine profile: all that a simulation
/// of it needs but the step times.
ServingConfig config_of(const RunLog& log, const EngineProfile& engine, Bytes block_bytes,
                        SimTime cold_start);

/// Simulates the run: the workload with the log's measured arrivals. Throws UserError if it is not
/// the log's workload.
SimulatedRun replay_log(const RunLog& log, const std::filesystem::path& workload,
                        const ServingConfig& config, const StepTimeCoefficients& step_times,
                        MeasuredArrival arrival = MeasuredArrival::arrived);

}  // namespace vacancy
