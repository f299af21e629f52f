// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "sim/scenario/scenario.hpp"

namespace vacancy::gui {

/// What a user does to a run that its scenario does not: from a moment between two steps on it goes
/// on with another way to reclaim. Up to there it is the same run, since it is a function of
/// scenario and seed. With an engine, what is in flight then stays so, as after a round.
struct ForkPlan {
  std::uint64_t event = 0;  // so many events: one of Recording::step_ends()
  std::int64_t time_ns = 0;
  std::uint32_t sequence = 0;  // reclaimed from there and then, whether that pays or not
  std::string reclaimer;       // registered name, with its defaults; in every round from there on
};

/// The plan with the run's own scenario under that way to reclaim (assignments_of).
struct Fork {
  ForkPlan plan;
  std::shared_ptr<const Scenario> other;
};

/// What makes a scenario reclaim another way, with that way's defaults: "reclaim.kind=slide", and
/// keys that would speak of survivors that it does not move back to their defaults.
std::vector<std::string> assignments_of(const std::string& reclaimer);

/// Why a run of the scenario cannot fork at all, in a sentence; empty if it can.
std::string fork_obstacle(const Scenario& scenario);

/// Throws UserError if the run cannot go on as the fork wants: ways that keep whole blocks may
/// change the scope of keep sets, which a run has from its start on.
void check_fork(const Scenario& run, const Scenario& other);

}  // namespace vacancy::gui
