// SPDX-License-Identifier: Apache-2.0
#include "sim/study/engine_run.hpp"

namespace vacancy {

EngineRun::EngineRun(const Scenario& scenario)
    : scenario_(scenario),
      simulation_(build_serving(scenario)),
      metrics_(
          scenario.cache, [this] { return cache().gauges(); }, scenario.seed) {
  simulation_->add_observer(metrics_);
  simulation_->add_observer(recorder_);
}

Summary EngineRun::summary() const {
  Summary summary = metrics_.summary();
  summary.serving.unfinished = simulation_->requests_left();
  summary.faults.on = scenario_.eviction.faults;
  summary.windows = cache().windows();
  summary.latency = latency_figures(recorder_.requests(), recorder_.intervals());
  summary.throughput = throughput_figures(recorder_.requests());
  return summary;
}

}  // namespace vacancy
