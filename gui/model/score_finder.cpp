// SPDX-License-Identifier: Apache-2.0
#include "gui/model/score_finder.hpp"

#include <utility>

#include "gui/model/announcer.hpp"
#include "gui/model/number_format.hpp"

namespace vacancy::gui {

namespace {

constexpr int still_ms = 150;

}  // namespace

ScoreFinder::ScoreFinder(QObject* parent) : QObject(parent) {
  still_.setSingleShot(true);
  still_.setInterval(still_ms);
  connect(&still_, &QTimer::timeout, this, &ScoreFinder::start);
  connect(&controller_, &RunController::finished, this, &ScoreFinder::take);
  connect(&controller_, &RunController::refused, this, &ScoreFinder::take);
}

bool ScoreFinder::want(const Cursor& cursor, std::optional<std::uint32_t> sequence) {
  const ReplicaSequence* const in_cache = sequence ? cursor.replica().sequence(*sequence) : nullptr;
  const bool rounds = in_cache != nullptr && !in_cache->round_times.empty();
  if (!rounds) {
    const Finding why = sequence ? Finding::round_missing : Finding::sequence_missing;
    if (state_ == why) return false;
    forget();
    set_state(why);
    return false;
  }
  Wanted now{cursor.shared_recording(), *sequence,
             static_cast<std::uint32_t>(in_cache->round_times.size() - 1),
             in_cache->round_times.back(), cursor.event()};
  if (wanted_ && wanted_->same_round(now)) return false;
  forget();
  wanted_ = std::move(now);
  set_state(Finding::looking);
  return true;
}

void ScoreFinder::set_state(Finding state) {
  state_ = state;
  Q_EMIT changed();
}

void ScoreFinder::forget() {
  still_.stop();
  controller_.forget();
  wanted_.reset();
  run_.reset();
  scores_.reset();
}

void ScoreFinder::look(const Cursor& cursor, std::optional<std::uint32_t> sequence) {
  if (want(cursor, sequence) || still_.isActive()) still_.start();
}

void ScoreFinder::find(const Cursor& cursor, std::uint32_t sequence) {
  want(cursor, sequence);
  if (state_ != Finding::looking) return;
  still_.stop();
  controller_.forget();
  run_.emplace(wanted_->score_run());
  run_->make()->run();
  take();
}

void ScoreFinder::stop() {
  if (state_ == Finding::idle) return;
  forget();
  set_state(Finding::idle);
}

void ScoreFinder::start() {
  run_.emplace(wanted_->score_run());
  controller_.start([run = *run_]() mutable { return run.make(); });
}

void ScoreFinder::take() {
  scores_ = run_->scores();
  run_.reset();
  set_state(Finding::over);
}

std::string ScoreFinder::sentence() const {
  switch (state_) {
    case Finding::idle:
      return "";
    case Finding::sequence_missing:
      return "scores are of one sequence: choose one";
    case Finding::round_missing:
      return "no round of this sequence was yet";
    case Finding::looking:
    case Finding::over:
      break;
  }
  const std::string round =
      "the round at " + seconds(wanted_->time_ns) + " of " + sequence_name(wanted_->sequence);
  if (state_ == Finding::looking) return "looking for the scores in " + round;
  return scores_ ? "scores in " + round : "nothing was scored in " + round;
}

}  // namespace vacancy::gui

#include "moc_score_finder.cpp"
