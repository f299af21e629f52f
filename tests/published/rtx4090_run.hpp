// SPDX-License-Identifier: Apache-2.0
// The measured run of spec rtx4090_run and its simulation, for the tests about it.
#pragma once

#include <filesystem>
#include <optional>

#include "sim/device/device_file.hpp"
#include "sim/model/memory.hpp"
#include "sim/model/model_file.hpp"
#include "sim/run_log/fitted_device.hpp"
#include "sim/simulation/log_replay.hpp"
#include "tests/support/shared_data.hpp"

namespace vacancy::test {

/// What a fit sees of the run; the rest is prediction.
inline constexpr SimTime first_half{92'000'000'000};

struct MeasuredRun {
  std::filesystem::path workload;
  RunLog log;

  /// The engine as it was set up.
  ServingConfig config() const {
    return config_of(log, *find_engine_profile("vllm-0.19.0"),
                     bytes_per_block(preset("llama-3.1-8b"), log.meta.block_size),
                     observed_cold_start(log));
  }
  SimulatedRun run(const StepTimeCoefficients& step_times) const {
    return replay_log(log, workload, config(), step_times);
  }
};

/// Nothing after a visible "SKIPPED:" line where the data are absent.
inline std::optional<MeasuredRun> measured_run() {
  const auto workload = shared_file("data/vllm-runs/sharegpt-llama-3.1-8b-300-sps10.jsonl");
  const auto folder = shared_file("data/vllm-runs/rtx4090-llama-3.1-8b");
  if (!workload || !folder) return std::nullopt;
  return MeasuredRun{*workload, read_run_log(*folder)};
}

/// S10 as spec rtx4090_run §3 fits it on the first half.
inline StepTimeCoefficients fitted_step_times() {
  return device_preset("rtx-4090-llama-3.1-8b").step_time->coefficients;
}

}  // namespace vacancy::test
