// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/metrics/summary.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// A scenario on its way to its figures, whatever its scheduler.
class ScenarioRun {
 public:
  virtual ~ScenarioRun() = default;

  /// A step or a request; false once the run is over.
  virtual bool step() = 0;
  /// Tokens, or requests; `planned()` is 0 where nobody knows.
  virtual std::uint64_t done() const = 0;
  virtual std::uint64_t planned() const { return 0; }
  /// The figures of a run that is over.
  virtual Summary summary() const = 0;
  /// Why a run that is over did not finish its work, and what would help; empty if it did.
  virtual std::string stop_reason() const = 0;
};

/// A run of a scenario's own kind. Throws UserError if the scenario has an obstacle. The scenario
/// outlives it.
std::unique_ptr<ScenarioRun> start_run(const Scenario& scenario);

}  // namespace vacancy
