// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/run_session.hpp"

#include <QFileInfo>
#include <algorithm>
#include <utility>

#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int frame_ms = 16;    // at most 60 pictures a second
constexpr int growth_ms = 150;  // how often views look for more of a run that goes on
constexpr double stale_strength = 0.45;

}  // namespace

QString title_of(const QString& path) {
  if (path.isEmpty()) return RunSession::tr("New scenario");
  const QFileInfo file(path);
  if (!file.exists()) return path;  // a name for what is not saved
  const QString folder = QFileInfo(file.absolutePath()).fileName();
  return folder.isEmpty() ? file.fileName() : folder + '/' + file.fileName();
}

QString title_of(const RunRequest& request) {
  const QString title = title_of(QString::fromStdString(request.file.string()));
  if (!request.fork) return title;
  return RunSession::tr("%1, %2 from %3 on")
      .arg(title, text_of(request.fork->reclaimer), text_of(seconds(request.fork->time_ns)));
}

RunSession::RunSession(QObject* parent) : QObject(parent) {
  wall_.start();
  clock_.setInterval(frame_ms);
  growth_.setInterval(growth_ms);
  connect(&clock_, &QTimer::timeout, this, &RunSession::tick);
  connect(&finder_, &ScoreFinder::changed, this, &RunSession::moment_changed);
  connect(&growth_, &QTimer::timeout, this, [this] {
    if (!playback_) return;
    if (follow_) seek_time(recording().end_ns());
    Q_EMIT grew();
  });
  listen();
}

void RunSession::listen() {
  connect(controller_.get(), &RunController::started, this, [this] {
    take(controller_->recording());
    follow_ = true;
    growth_.start();
  });
  connect(controller_.get(), &RunController::refused, this, [this](const QString& sentences) {
    growth_.stop();
    opening_ = false;
    refused_ = true;
    Q_EMIT refused(sentences);
  });
  connect(controller_.get(), &RunController::finished, this, [this] {
    growth_.stop();
    if (!playback_) return;
    most_blocks_ = 0;
    if (follow_) playback_->seek(recording().events());
    follow_ = false;
    Q_EMIT grew();
    Q_EMIT moment_changed();
  });
}

void RunSession::open(RunRequest request) {
  opened_ = std::move(request);
  reload();
}

void RunSession::reload() {
  if (opened_.file.empty()) return;
  // The old run stays in view, but nothing is told of its being cancelled.
  growth_.stop();
  follow_ = false;
  opening_ = true;
  Q_EMIT opening();
  controller_->start(opened_);
}

void RunSession::cancel() {
  controller_->cancel();
}

void RunSession::close() {
  controller_->forget();
  follow_ = false;
  growth_.stop();
  clock_.stop();
  block_history_.reset();
  forget_scores();
  const auto old = std::exchange(playback_, nullptr);
  opened_ = request_ = {};
  opening_ = refused_ = false;
  Q_EMIT replaced();
}

void RunSession::adopt(std::shared_ptr<const Recording> recording, const QString& path) {
  opened_ = run_of(path);
  take(std::move(recording));
  seek(this->recording().events());
  Q_EMIT grew();
}

void RunSession::exchange(RunSession& other) {
  for (RunSession* session : {this, &other}) {
    session->play(false);
    session->controller_->disconnect(session);
    session->most_blocks_ = 0;
    session->block_history_.reset();
    session->forget_scores();
  }
  std::swap(controller_, other.controller_);
  std::swap(opened_, other.opened_);
  std::swap(request_, other.request_);
  std::swap(opening_, other.opening_);
  std::swap(refused_, other.refused_);
  std::swap(playback_, other.playback_);
  std::swap(follow_, other.follow_);
  for (RunSession* session : {this, &other}) {
    session->listen();
    const bool grows = session->running() && !session->opening_;
    grows ? session->growth_.start() : session->growth_.stop();
  }
  Q_EMIT replaced();
  Q_EMIT other.replaced();
}

void RunSession::take(std::shared_ptr<const Recording> recording) {
  request_ = opened_;
  opening_ = refused_ = false;
  clock_.stop();
  most_blocks_ = 0;
  block_history_.reset();
  forget_scores();
  const double speed = playback_ ? playback_->speed() : 1;
  // A view may be painted before it hears of the new run.
  const auto old = std::exchange(playback_, std::make_unique<Playback>(std::move(recording)));
  playback_->set_speed(speed);
  Q_EMIT replaced();
  Q_EMIT moment_changed();
}

void RunSession::seek_place(std::int64_t place, AxisUnit unit) {
  if (unit == AxisUnit::events)
    seek(static_cast<std::uint64_t>(std::max<std::int64_t>(0, place)));
  else
    seek_time(place);
}

std::vector<std::uint32_t> RunSession::pools() const {
  const ReplicaShape& shape = recording().shape();
  std::vector<std::uint32_t> result;
  if (!shape.windows.empty()) {
    for (const ReplicaShape::Window& window : shape.windows) {
      result.push_back(window.device_blocks);
      result.push_back(window.host_blocks);
    }
    return result;
  }
  std::uint32_t blocks = std::max(replica().blocks(), most_blocks_);
  if (const auto last = recording().keyframes().nearest(recording().events()))
    blocks = std::max(blocks, last->blocks());
  return {blocks};
}

MapScene RunSession::scene() {
  MapScene scene;
  if (!has_map()) return scene;
  const std::vector<std::uint32_t> all = pools();
  most_blocks_ = all.size() == 1 ? all.front() : 0;
  scene.pool = replica().view();
  scene.blocks = replica().blocks();
  scene.strength = stale() ? stale_strength : 1;
  if (replica().blocks() < most_blocks_) {
    pages_.assign(scene.pool.pages.begin(), scene.pool.pages.end());
    pages_.resize(block_pages(most_blocks_), untouched_page());
    scene.pool = PoolView(pages_, most_blocks_, scene.pool.block_size, moment(), time_ns());
  }
  scene.slots = [this](std::uint32_t block) { return slots_of(block); };
  show_scores();
  scene.scores = block_scores_;
  scene.logical = [this](std::uint32_t block) {
    const auto places =
        block < replica().blocks() ? replica().places(block) : std::vector<Replica::Place>{};
    return places.empty() ? 0U : places.front().entry;
  };
  return scene;
}

std::span<const SlotView> RunSession::slots_of(std::uint32_t block) const {
  if (block >= replica().blocks()) return {};
  replica().slots(block, slot_views_);
  if (finder_.scores() != nullptr) add_scores(replica(), *finder_.scores(), block, slot_views_);
  return slot_views_;
}

void RunSession::forget_scores() {
  finder_.stop();
  block_scores_.clear();
  scored_.clear();
}

void RunSession::show_scores() {
  for (const BlockScore& scored : scored_)
    block_scores_[scored.block] = unweighed;
  scored_.clear();
  if (finder_.scores() == nullptr) return;
  block_scores_.resize(replica().blocks(), unweighed);
  scored_ = block_scores(replica(), *finder_.scores());
  for (const BlockScore& scored : scored_)
    block_scores_[scored.block] = scored.highest;
}

void RunSession::seek(std::uint64_t event) {
  if (!playback_) return;
  follow_ = false;
  const std::uint64_t before = moment();
  playback_->seek(event);
  if (moment() != before) Q_EMIT moment_changed();
}

void RunSession::seek_time(std::int64_t time_ns) {
  if (!playback_) return;
  follow_ = follow_ && time_ns >= recording().end_ns();  // as far as is known now
  const std::uint64_t before = moment();
  playback_->seek_time(time_ns);
  if (moment() != before) Q_EMIT moment_changed();
}

bool RunSession::step(StepUnit unit, std::int64_t count) {
  if (!playback_) return false;
  play(false);
  follow_ = false;
  const bool far = playback_->step(unit, count);
  Q_EMIT moment_changed();
  return far;
}

void RunSession::play(bool on) {
  if (!playback_ || on == playback_->playing()) return;
  follow_ = false;
  if (on) {
    const std::uint64_t before = moment();
    playback_->play(wall_.nsecsElapsed());
    clock_.start();
    if (moment() != before) Q_EMIT moment_changed();  // from the end it begins again
  } else {
    playback_->pause();
    clock_.stop();
  }
  Q_EMIT playing_changed(on);
}

void RunSession::set_speed(double factor) {
  if (playback_) playback_->set_speed(factor);
}

bool RunSession::run_until(const Until& until) {
  if (!playback_) return false;
  play(false);
  follow_ = false;
  const bool found = playback_->run_until(until);
  if (found) Q_EMIT moment_changed();
  return found;
}

void RunSession::tick() {
  if (!playback_) return;
  if (playback_->tick(wall_.nsecsElapsed())) Q_EMIT moment_changed();
  if (!playback_->playing()) {
    clock_.stop();
    Q_EMIT playing_changed(false);
  }
}

}  // namespace vacancy::gui

#include "moc_run_session.cpp"
