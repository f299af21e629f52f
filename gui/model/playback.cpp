// SPDX-License-Identifier: Apache-2.0
#include "gui/model/playback.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace vacancy::gui {

Playback::Playback(std::shared_ptr<const Recording> recording) : cursor_(std::move(recording)) {}

void Playback::play(std::int64_t wall_ns) {
  const Recording& recording = cursor_.recording();
  if (recording.over() && cursor_.event() == recording.events()) cursor_.seek(0);
  playing_ = true;
  wall_ns_ = wall_ns;
  position_ns_ = static_cast<double>(cursor_.time_ns());
}

void Playback::set_speed(double speed) {
  speed_ = std::clamp(speed, slowest, fastest);
}

double Playback::speed_at(double slider) {
  return slowest * std::pow(fastest / slowest, std::clamp(slider, 0.0, 1.0));
}

double Playback::slider_at(double speed) {
  return std::log(std::clamp(speed, slowest, fastest) / slowest) / std::log(fastest / slowest);
}

bool Playback::tick(std::int64_t wall_ns) {
  if (!playing_) return false;
  const Recording& recording = cursor_.recording();
  const std::int64_t gone = std::exchange(wall_ns_, wall_ns);
  const bool over = recording.over();
  const std::int64_t end = recording.end_ns();
  position_ns_ += static_cast<double>(wall_ns - gone) * speed_;
  // What is not recorded yet is waited for, at its start.
  position_ns_ = std::min(position_ns_, static_cast<double>(end));
  const std::uint64_t before = cursor_.event();
  if (over && position_ns_ >= static_cast<double>(end)) {
    cursor_.seek(recording.events());
    playing_ = false;
  } else {
    const auto time = static_cast<std::int64_t>(position_ns_);
    if (time > cursor_.time_ns()) cursor_.seek_time(time);
  }
  return cursor_.event() != before;
}

std::optional<std::uint64_t> Playback::moment_of(StepUnit unit, bool back) {
  const Recording& recording = cursor_.recording();
  const std::uint64_t here = cursor_.event();
  switch (unit) {
    case StepUnit::event:
      if (back ? here == 0 : here >= recording.events()) return std::nullopt;
      return back ? here - 1 : here + 1;
    case StepUnit::iteration: {
      const auto& ends = recording.iterations();
      const std::uint64_t size = ends.size();
      const std::uint64_t i = ends.partition_point(
          0, size, [&](std::uint64_t end) { return back ? end < here : end <= here; });
      if (back) {
        if (here == 0) return std::nullopt;
        return i == 0 ? 0 : ends[i - 1];
      }
      if (i == size) return std::nullopt;
      return ends[i];
    }
    case StepUnit::round: {
      const Marks& marks = recording.marks();
      // A round is shown by the state after its last event.
      if (!back) {
        const auto next = marks.next(MarkKind::reclaim, here);
        if (next) return next->event + 1;
        return std::nullopt;
      }
      const auto last = here == 0 ? std::nullopt : marks.previous(MarkKind::reclaim, here - 1);
      if (last) return last->event + 1;
      return std::nullopt;
    }
  }
  return std::nullopt;
}

bool Playback::step(StepUnit unit, std::int64_t count) {
  playing_ = false;
  if (unit == StepUnit::event) {
    bool moved = true;
    for (; count > 0 && moved; --count)
      moved = cursor_.forward();
    for (; count < 0 && moved; ++count)
      moved = cursor_.back();
    return moved;
  }
  const bool back = count < 0;
  for (std::int64_t left = back ? -count : count; left > 0; --left) {
    const auto moment = moment_of(unit, back);
    if (!moment) return false;
    cursor_.seek(*moment);
  }
  return true;
}

void Playback::seek(std::uint64_t event) {
  playing_ = false;
  cursor_.seek(event);
}

void Playback::seek_time(std::int64_t time_ns) {
  playing_ = false;
  cursor_.seek_time(time_ns);
}

std::optional<std::uint64_t> Playback::find(const Until& until) {
  const Recording& recording = cursor_.recording();
  const std::uint64_t here = cursor_.event(), end = recording.events();
  switch (until.kind) {
    case Until::Kind::end:
      return end;
    case Until::Kind::time: {
      if (until.time_ns > recording.end_ns()) return std::nullopt;
      // After the clock was set to it, before what follows at that time.
      const std::uint64_t moment = std::min(cursor_.reader().before(until.time_ns) + 1, end);
      return std::max(moment, here);
    }
    case Until::Kind::mark: {
      const auto mark = recording.marks().next(until.mark, here);
      if (!mark) return std::nullopt;
      return mark->event + 1;
    }
    case Until::Kind::event: {
      const std::uint64_t n = cursor_.reader().find(std::uint64_t{1} << until.event, here, end);
      if (n == end) return std::nullopt;
      return n + 1;
    }
  }
  return std::nullopt;
}

bool Playback::run_until(const Until& until) {
  const auto moment = find(until);
  if (!moment) return false;
  seek(*moment);
  return true;
}

std::uint64_t Playback::iteration() const {
  const auto& ends = cursor_.recording().iterations();
  return ends.partition_point(0, ends.size(),
                              [&](std::uint64_t end) { return end <= cursor_.event(); });
}

}  // namespace vacancy::gui
