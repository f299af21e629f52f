// SPDX-License-Identifier: Apache-2.0
#include "sim/simulation/log_replay.hpp"

#include <utility>

#include "sim/device/scheduled_work.hpp"
#include "sim/device/step_time_model.hpp"
#include "sim/run_log/run_recorder.hpp"
#include "sim/simulation/serving_simulation.hpp"

namespace vacancy {

ServingConfig config_of(const RunLog& log, const EngineProfile& engine, Bytes block_bytes,
                        SimTime cold_start) {
  ServingConfig config;
  config.engine = engine;
  config.engine.hash_chain->blocks = log.meta.usable_blocks();
  config.engine.hash_chain->block_size = log.meta.block_size;
  config.engine.hash_chain->max_in_flight_tokens = log.meta.max_num_batched_tokens;
  config.block_bytes = block_bytes;
  config.scheduler.max_num_batched_tokens = log.meta.max_num_batched_tokens;
  config.scheduler.max_num_seqs = log.meta.max_num_seqs;
  config.cold_start = cold_start;
  return config;
}

SimulatedRun replay_log(const RunLog& log, const std::filesystem::path& workload,
                        const ServingConfig& config, const StepTimeCoefficients& step_times,
                        MeasuredArrival arrival) {
  ServingConfig timed = config;
  timed.step_time = [&](const Step& step) {
    return step_time(step_times, step_work(step.scheduled));
  };
  ServingSimulation simulation(
      std::move(timed),
      std::make_unique<RequestSource>(
          with_measured_arrivals(open_trace(workload, {}), log, arrival), log.meta.block_size));
  RunRecorder recorder([&] { return simulation.cache().used_blocks(); });
  simulation.add_observer(recorder);
  while (simulation.step() == RunStatus::running) {
  }
  return recorder.run();
}

}  // namespace vacancy
