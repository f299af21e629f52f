// SPDX-License-Identifier: Apache-2.0
#include "gui/model/cursor.hpp"

#include <algorithm>
#include <utility>

namespace vacancy::gui {

namespace {

/// Work up to which a way forward is applied with the journal, which costs more; steps back reach
/// so far without starting from a keyframe again.
constexpr std::uint64_t near_by = 2'000;

/// With the journal these copy a table; what that costs for each of its keep sets.
constexpr std::uint64_t rewriting =
    kinds_of<TokensEvicted, TablePacked, TableCopiedOut, TokensMoved, BlocksReleased>;
constexpr std::uint64_t copy_work = 8;

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

std::uint64_t Cursor::near_before(std::uint64_t target) {
  const std::uint64_t copy = copy_work * recording_->shape().sets_per_table();
  std::uint64_t n = target, work = 0;
  for (; n > 0; --n) {
    const bool rewrites = ((rewriting >> reader_.kind(n - 1)) & 1) != 0;
    work += replay_work(1, reader_.length(n - 1)) + (rewrites ? copy : 0);
    if (work > near_by) break;
  }
  return n;
}

void Cursor::seek(std::uint64_t target) {
  target = std::min(target, recording_->events());
  if (target < event() && event() - target <= std::min(journal_.depth(), near_by)) {
    while (event() > target)
      replica_.undo(journal_);
    return;
  }
  const std::uint64_t near = near_before(target);
  if (target < event()) {
    start_from(target);
  } else if (event() < near) {
    const auto frame = recording_->keyframes().nearest(target);
    if (frame && frame->event() > event()) start_from(target);
  }
  if (event() < near) journal_.clear();
  while (event() < near)
    replica_.apply(reader_.event(event()));
  while (event() < target)
    forward();
}

void Cursor::seek_time(std::int64_t time_ns) {
  seek(reader_.until(time_ns));
}

}  // namespace vacancy::gui
