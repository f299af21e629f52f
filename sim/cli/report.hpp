// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <ostream>
#include <string>

#include "sim/cli/expectation.hpp"
#include "sim/cli/run_facts.hpp"
#include "sim/metrics/summary.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"

namespace vacancy {

/// All that the report of a run is written from.
struct FinishedRun {
  const Scenario& scenario;
  const Simulation& simulation;
  const Summary& summary;
  const RunFacts& facts;
  const std::string& stop_reason;  // why it ended without finishing; empty if it finished
};

/// One sentence: what the eviction claims and what came back.
std::string headline(const FinishedRun& run);

/// The report for people: headline, setting, figures with formulas beside them.
void print_report(std::ostream& out, const FinishedRun& run, std::size_t columns);

}  // namespace vacancy
