// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>

#include "sim/metrics/metrics.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy::test {

/// Serves all requests of an engine's scenario; none may be left, and nothing held.
inline Summary serve(const Scenario& scenario) {
  const auto simulation = build_serving(scenario);
  Metrics metrics(
      scenario.cache, [&] { return simulation->cache().gauges(); }, scenario.seed);
  simulation->add_observer(metrics);
  while (simulation->step() == RunStatus::running) {
  }
  CHECK(simulation->status() == RunStatus::completed);
  CHECK(simulation->cache().used_blocks() == 0);
  Summary summary = metrics.summary();
  summary.windows = simulation->cache().windows();
  return summary;
}

}  // namespace vacancy::test
