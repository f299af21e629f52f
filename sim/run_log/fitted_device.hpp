// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/device/device.hpp"
#include "sim/run_log/run_log.hpp"
#include "sim/run_log/step_time_fit.hpp"

namespace vacancy {

/// How long launching the first step kept the engine from taking in requests: until the first one
/// that came meanwhile was queued. 0 if none came (spec rtx4090_run §2).
SimTime observed_cold_start(const RunLog& log);

/// The device with the step times of the fit: what `fit-cost` writes. `run`: what people call the
/// measured run.
Device fitted_device(Device device, const RunLog& log, const FitResult& fit, SimTime until,
                     const std::string& run);

}  // namespace vacancy
