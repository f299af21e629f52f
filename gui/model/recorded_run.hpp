// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>

#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// Runs a scenario to its end in the calling thread and records it: what a RunController does in a
/// thread of its own, and a test or an export in the only one there is.
class RecordedRun {
 public:
  explicit RecordedRun(std::shared_ptr<const Scenario> scenario, RecordingLimits limits = {});
  ~RecordedRun();

  /// From the constructor on.
  std::shared_ptr<const Recording> recording() const { return recording_; }
  /// Runs until the end, or until `cancelled` says so, which is asked between two steps. Errors end
  /// it as RunState::failed.
  void run(const std::function<bool()>& cancelled = [] { return false; });

 private:
  struct Parts;
  std::shared_ptr<const Scenario> scenario_;
  std::shared_ptr<Recording> recording_;
  std::unique_ptr<Parts> parts_;
};

}  // namespace vacancy::gui
