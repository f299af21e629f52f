// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "gui/model/fork.hpp"
#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// Runs a scenario to its end in the calling thread and records it: what a RunController does in a
/// thread of its own, and a test or an export in the only one there is.
class RecordedRun {
 public:
  /// Throws UserError if the run cannot fork so (check_fork).
  explicit RecordedRun(std::shared_ptr<const Scenario> scenario, RecordingLimits limits = {},
                       std::optional<Fork> fork = {});
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
  void end_step();

  std::shared_ptr<const Scenario> scenario_;
  std::shared_ptr<Recording> recording_;
  std::optional<Fork> fork_;  // until it is there
  std::uint64_t last_event_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace vacancy::gui
