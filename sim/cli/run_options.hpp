// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "sim/cli/console.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// What `vacancy run` was asked for.
struct RunOptions {
  std::string scenario;
  ScenarioOverrides overrides;
  std::string out;
  std::string misses;     // file; empty: none
  std::string sharing;    // a file for the sharing graph
  std::string keep_sets;  // a file for the keep sets of one sequence
  std::uint32_t keep_sets_sequence = 0;
  std::string free_plan;  // how many cached blocks to free; empty: not asked
  bool json = false, map = false, events = false, kv_events = false, trace = false, quiet = false;
  ColorMode color = ColorMode::automatic;
};

// Each runs a scenario of its kind to its end, reports, writes what was asked for, and returns the
// exit code.
int run_lockstep(const RunOptions& options, const Scenario& scenario, const Console& console);
int run_serving(const RunOptions& options, const Scenario& scenario, const Console& console);
int run_replay(const RunOptions& options, const Scenario& scenario, const Console& console);

/// Says that the user cancelled a run; the exit code.
int cancelled(const Console& console);

}  // namespace vacancy
