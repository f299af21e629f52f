// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "gui/model/recording.hpp"
#include "gui/model/replica.hpp"
#include "gui/model/replica_undo.hpp"

namespace vacancy::gui {

/// A moment of a recording that moves: after n events, 0 … recording().events(). One thread's own;
/// while the run goes on, it reaches as far as is recorded. Without a map the replica is empty, and
/// only the moment counts.
class Cursor {
 public:
  explicit Cursor(std::shared_ptr<const Recording> recording);

  const Recording& recording() const { return *recording_; }
  std::shared_ptr<const Recording> shared_recording() const { return recording_; }
  const Replica& replica() const { return replica_; }
  /// Events that have happened.
  std::uint64_t event() const { return replica_.event(); }
  std::int64_t time_ns() const { return replica_.time_ns(); }
  /// Events and their times, for sentences and lists.
  HistoryReader& reader() { return reader_; }

  /// To the moment after so many events; one beyond the end means the end. Near ones step, far ones
  /// start from a keyframe.
  void seek(std::uint64_t event);
  /// To the last moment of a time: after all that happens up to it.
  void seek_time(std::int64_t time_ns);
  /// False at the end, or at the start.
  bool forward();
  bool back();

 private:
  void start_from(std::uint64_t event);
  /// The first moment from which it is not far to another one.
  std::uint64_t near_before(std::uint64_t event);

  std::shared_ptr<const Recording> recording_;
  HistoryReader reader_;
  Replica replica_;
  UndoJournal journal_;
};

}  // namespace vacancy::gui
