// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "gui/model/fork.hpp"
#include "gui/model/history.hpp"
#include "gui/model/keyframes.hpp"
#include "gui/model/marks.hpp"
#include "gui/model/replica_shape.hpp"
#include "gui/model/series.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/study/scenario_run.hpp"

namespace vacancy::gui {

enum class RunState : std::uint8_t {
  running,
  finished,       // all its work is done
  stopped_early,  // out of memory, a cap, or requests that can never run: reason() says which
  cancelled,      // by the user; what was recorded stays
  failed          // an error: reason()
};

/// Limits of a recording: bytes, beyond which the run goes on to its figures, and events.
struct RecordingLimits {
  std::uint64_t history = History::default_limit;
  std::uint64_t keyframes = Keyframes::default_limit;
  /// Events: with the step that brings so many the run ends, as if cancelled.
  std::uint64_t events = UINT64_MAX;
};

/// A run as far as it was recorded. The thread that runs it writes; everyone else reads what is
/// published, while it runs and afterwards, without locks. Views hold it by shared pointer.
class Recording {
 public:
  Recording(std::shared_ptr<const Scenario> scenario, RecordingLimits limits);
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;
  ~Recording() = default;

  const Scenario& scenario() const { return *scenario_; }
  const ReplicaShape& shape() const { return shape_; }
  const History& history() const { return history_; }
  const Series& series() const { return series_; }
  const Marks& marks() const { return marks_; }
  const Keyframes& keyframes() const { return keyframes_; }
  /// Events after which an iteration ended: a step of the engine was composed, or of sequences in
  /// lockstep, the clock went on.
  const AppendOnly<std::uint64_t>& iterations() const { return iterations_; }
  /// Events after which a step of the run was over with its rounds, and none at its start: moments
  /// at which a fork can begin.
  const AppendOnly<std::uint64_t>& step_ends() const { return step_ends_; }
  /// The end of the step that a moment belongs to; where that is not recorded yet, of the one
  /// before.
  std::uint64_t step_end(std::uint64_t event) const;
  /// Of a run that went another way from some moment on.
  const std::optional<Fork>& fork() const { return fork_; }

  /// Events that can be shown.
  std::uint64_t events() const { return history_.size(); }
  /// Virtual time that is recorded.
  std::int64_t end_ns() const { return end_ns_.load(std::memory_order_acquire); }
  /// False for a replay without a clock: it has figures at its end, and nothing else.
  bool has_events() const { return has_events_; }
  /// What a view writes in place of a map or timeline that is not there; empty if all is.
  std::string missing() const;

  RunState state() const { return state_.load(std::memory_order_acquire); }
  bool over() const { return state() != RunState::running; }
  /// Tokens or requests done, and planned, 0 where nobody knows.
  std::uint64_t done() const { return done_.load(std::memory_order_relaxed); }
  std::uint64_t planned() const { return planned_.load(std::memory_order_relaxed); }
  /// "Recording stopped at 1,234,567 events (2.0 GiB); the figures go on."; empty if it did not.
  std::string limit_sentence() const;

  /// Once it is over: why it stopped early or failed.
  const std::string& reason() const { return reason_; }
  /// Once it finished or stopped early: the figures, as the command line has them; else null.
  const Summary* summary() const;

 private:
  friend class Recorder;
  friend class RecordedRun;

  std::shared_ptr<const Scenario> scenario_;
  ReplicaShape shape_;
  bool has_events_ = true;
  History history_;
  Series series_;
  Marks marks_;
  Keyframes keyframes_;
  AppendOnly<std::uint64_t> iterations_, step_ends_;
  std::optional<Fork> fork_;
  std::atomic<std::int64_t> end_ns_{0};
  std::atomic<std::uint64_t> done_{0}, planned_{0};
  // Written before state_ says that the run is over.
  std::string reason_;
  std::unique_ptr<const Summary> summary_;
  std::atomic<RunState> state_{RunState::running};
};

}  // namespace vacancy::gui
