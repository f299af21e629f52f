// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/run_log/run_log.hpp"
#include "sim/run_log/simulated_run.hpp"

namespace vacancy {

/// Simulated / measured - 1 of a distribution's figures.
struct RelativeErrors {
  std::optional<double> mean, p50, p90, p95, p99;
};

/// Errors over some of the requests.
struct PredictionErrors {
  std::uint64_t requests = 0;
  RelativeErrors ttft, tpot, e2e, queue;
  /// Mean over the requests of |simulated / measured - 1| of their TPOT.
  std::optional<double> tpot_mape;
};

/// How well times are predicted (spec rtx4090_run §6, point 2). `late`: requests whose first token
/// comes after the stamps that a fit has seen; `early`: the others.
struct PredictionScore {
  PredictionErrors all, early, late;
  std::optional<double> makespan;
};
PredictionScore prediction_score(const RunLog& log, const SimulatedRun& run, SimTime until);

}  // namespace vacancy
