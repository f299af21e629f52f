// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace vacancy {

/// A figure as a formula gives it; exact, or a mean with its standard deviation.
struct Expected {
  double value = 0;
  std::optional<double> deviation;
};

/// What closed forms say about a run that completes (spec policies §1.2, §6). A figure has no value
/// where no formula applies; `laws` names each formula used and what it assumes, a sentence each.
struct Expectations {
  std::optional<Expected> blocks_freed;
  std::optional<Expected> peak_blocks;
  std::optional<Expected> blocks_after_round;
  std::optional<Expected> steady_held_slots;
  std::vector<std::string> laws;
};

Expectations expect(const Scenario& scenario, const SimulationConfig& config);

}  // namespace vacancy
