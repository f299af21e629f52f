// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// What a user does to a run that a scenario does not: once so many steps are done (of sequences in
/// lockstep: milliseconds; the last one too), a sequence is reclaimed from. The run is the same as
/// without up to there, since it is a function of scenario and seed; "apply" of a preview is
/// another run with this in it.
struct Intervention {
  std::uint64_t steps = 0;
  std::uint32_t sequence = 0;
  std::string reclaimer;  // registered name, with its defaults
};

/// Runs a scenario to its end in the calling thread and records it: what a RunController does in a
/// thread of its own, and a test or an export in the only one there is.
class RecordedRun {
 public:
  /// Throws UserError if there are interventions and the scenario has an engine: its steps are in
  /// flight while the next ones are composed, so that there is no moment between two.
  explicit RecordedRun(std::shared_ptr<const Scenario> scenario, RecordingLimits limits = {},
                       std::vector<Intervention> interventions = {});
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;
  ~RecordedRun();

  /// From the constructor on.
  std::shared_ptr<const Recording> recording() const { return recording_; }
  /// Runs until the end, or until `cancelled` says so, which is asked between two steps. Errors end
  /// it as RunState::failed.
  void run(const std::function<bool()>& cancelled = [] { return false; });

 private:
  struct Parts;
  void intervene(std::uint64_t steps);

  std::shared_ptr<const Scenario> scenario_;
  std::shared_ptr<Recording> recording_;
  std::vector<Intervention> interventions_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace vacancy::gui
