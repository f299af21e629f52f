// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/metrics/metrics.hpp"
#include "sim/simulation/simulation.hpp"
#include "sim/study/scenario_run.hpp"

namespace vacancy {

/// Sequences in lockstep, without an engine.
class LockstepRun final : public ScenarioRun {
 public:
  explicit LockstepRun(const Scenario& scenario);

  bool step() override { return simulation_.step() == RunStatus::running; }
  std::uint64_t done() const override { return simulation_.tokens_done(); }
  std::uint64_t planned() const override { return simulation_.tokens_planned(); }
  Summary summary() const override;
  std::string stop_reason() const override;

  const Simulation& simulation() const { return simulation_; }
  /// To intervene between two steps.
  Simulation& simulation() { return simulation_; }
  /// Outlives the run; before the first step.
  void add_observer(Observer& observer) { simulation_.add_observer(observer); }

 private:
  Simulation simulation_;
  Metrics metrics_;
};

}  // namespace vacancy
