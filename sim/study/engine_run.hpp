// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <span>

#include "sim/metrics/metrics.hpp"
#include "sim/metrics/request_recorder.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "sim/study/scenario_run.hpp"

namespace vacancy {

/// Requests under an engine's scheduler.
class EngineRun final : public ScenarioRun {
 public:
  explicit EngineRun(const Scenario& scenario);

  bool step() override { return simulation_->step() == RunStatus::running; }
  std::uint64_t done() const override { return simulation_->requests_done(); }
  Summary summary() const override;
  std::string stop_reason() const override { return simulation_->stop_reason(); }

  const CacheManager& cache() const { return simulation_->cache(); }
  const ServingSimulation& simulation() const { return *simulation_; }
  /// To intervene between two steps.
  ServingSimulation& simulation() { return *simulation_; }
  std::span<const RequestTimes> requests() const { return recorder_.requests(); }
  /// Outlives the run; before the first step.
  void add_observer(Observer& observer) { simulation_->add_observer(observer); }
  /// The cache's sharing() will be asked for. Before the first step.
  void follow_sharing() { simulation_->follow_sharing(); }

 private:
  const Scenario& scenario_;
  std::unique_ptr<ServingSimulation> simulation_;
  Metrics metrics_;
  RequestRecorder recorder_;
};

}  // namespace vacancy
