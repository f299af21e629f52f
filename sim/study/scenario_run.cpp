// SPDX-License-Identifier: Apache-2.0
#include "sim/study/scenario_run.hpp"

#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "sim/study/replay_run.hpp"

namespace vacancy {

std::unique_ptr<ScenarioRun> start_run(const Scenario& scenario) {
  if (!scenario.serving) return std::make_unique<LockstepRun>(scenario);
  if (scenario.serving->scheduler == SchedulerKind::continuous_batching)
    return std::make_unique<EngineRun>(scenario);
  return std::make_unique<ReplayRun>(scenario);
}

}  // namespace vacancy
