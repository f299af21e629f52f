// SPDX-License-Identifier: Apache-2.0
#include "gui/model/cursor.hpp"

#include <algorithm>
#include <utility>

namespace vacancy::gui {

namespace {

/// Further than this, a keyframe that lies nearer is worth the copy; and of a way forward only so
/// much can be taken back step by step.
constexpr std::uint64_t near_by = 2'000;

}  // namespace

Cursor::Cursor(std::shared_ptr<const Recording> recording)
    : recording_(std::move(recording)),
      reader_(recording_->history()),
      replica_(recording_->shape()) {}

void Cursor::start_from(std::uint64_t event) {
  journal_.clear();
  if (const auto frame = recording_->keyframes().nearest(event))
    replica_ = *frame;
  else
    replica_ = Replica(recording_->shape());
}

bool Cursor::forward() {
  if (event() >= recording_->events()) return false;
  replica_.apply(reader_.event(event()), &journal_);
  return true;
}

bool Cursor::back() {
  if (event() == 0) return false;
  const std::uint64_t target = event() - 1;
  if (journal_.depth() == 0) {
    start_from(target);
    seek(target);
    return true;
  }
  replica_.undo(journal_);
  return true;
}

void Cursor::seek(std::uint64_t target) {
  target = std::min(target, recording_->events());
  if (target < event()) {
    if (event() - target <= std::min(journal_.depth(), near_by)) {
      while (event() > target)
        replica_.undo(journal_);
      return;
    }
    start_from(target);
  } else if (target - event() > near_by) {
    const auto frame = recording_->keyframes().nearest(target);
    if (frame && frame->event() > event()) start_from(target);
  }
  if (target - event() > near_by) journal_.clear();
  while (target - event() > near_by)
    replica_.apply(reader_.event(event()));
  while (event() < target)
    forward();
}

void Cursor::seek_time(std::int64_t time_ns) {
  seek(reader_.until(time_ns));
}

}  // namespace vacancy::gui
