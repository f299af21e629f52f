// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "gui/model/cursor.hpp"
#include "gui/model/marks.hpp"

namespace vacancy::gui {

enum class StepUnit : std::uint8_t {
  event,
  iteration,
  round  // one that brought blocks back: ▲
};

/// Where a run until … ends: the moment after the first event from here on that fits.
struct Until {
  enum class Kind : std::uint8_t { end, time, mark, event } kind = Kind::end;
  std::int64_t time_ns = 0;           // time: the first moment not before it
  MarkKind mark = MarkKind::reclaim;  // mark: the next of this kind; first reclaim, out of memory
  EventKind event = 0;                // event: the next of this kind
};

/// The cursor of a view in motion. Pure logic: the owner's timer tells what time it is on the wall.
class Playback {
 public:
  static constexpr double slowest = 0.001, fastest = 1000;  // virtual seconds a second

  explicit Playback(std::shared_ptr<const Recording> recording);

  Cursor& cursor() { return cursor_; }
  const Cursor& cursor() const { return cursor_; }

  bool playing() const { return playing_; }
  /// At the end it starts over. `wall_ns`: now.
  void play(std::int64_t wall_ns);
  void pause() { playing_ = false; }
  /// Virtual seconds a second, within the limits above.
  double speed() const { return speed_; }
  void set_speed(double speed);
  /// A slider's 0 … 1 on a logarithmic scale, and back.
  static double speed_at(double slider);
  static double slider_at(double speed);

  /// The wall's clock went on: moves the cursor if it plays, and stops at the end of a run that is
  /// over. True if the moment changed. In a run under way it waits for more.
  bool tick(std::int64_t wall_ns);
  /// By so many units, back if negative; pauses. False if it could not move that far.
  bool step(StepUnit unit, std::int64_t count = 1);
  /// To a moment; pauses.
  void seek(std::uint64_t event);
  void seek_time(std::int64_t time_ns);
  /// To the end of what is recorded, without showing what is between.
  void express() { seek(cursor_.recording().events()); }

  /// The moment where it would end; nothing if that does not happen in what is recorded.
  std::optional<std::uint64_t> find(const Until& until);
  /// Goes there; false, and nothing changed, if it does not happen in what is recorded.
  bool run_until(const Until& until);

  /// Iterations that ended, of so many recorded.
  std::uint64_t iteration() const;

 private:
  std::optional<std::uint64_t> moment_of(StepUnit unit, bool back);

  Cursor cursor_;
  bool playing_ = false;
  double speed_ = 1;
  std::int64_t wall_ns_ = 0;  // when the position below was
  double position_ns_ = 0;    // virtual, with the fraction that the cursor cannot show
};

}  // namespace vacancy::gui
