// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/attention/recorded_source.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// scenarios/real/tiny_llama.json as users run it, with overrides: 40 sequences of 512 tokens. All
/// runs of a program look at the same sequences, which are computed once.
inline Summary run_stories260k(const std::vector<std::string>& changes) {
  const auto file = test::source_dir() / "scenarios/real/tiny_llama.json";
  SimulationConfig config = build_config(load_scenario(file, {changes, 7}));
  static const auto sequences =
      std::make_shared<RecordedSource>(config.attention, 40, std::size_t{512} << 20);
  config.attention = sequences;
  Simulation simulation(std::move(config), {});
  Metrics metrics(simulation.config().cache, simulation.cache().pool(), 7);
  simulation.add_observer(metrics);
  while (simulation.step() == RunStatus::running) {
  }
  return metrics.summary();
}

}  // namespace vacancy::test
