// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/block_history.hpp"
#include "gui/model/playback.hpp"
#include "gui/model/recording.hpp"
#include "gui/model/run_controller.hpp"
#include "gui/model/score_finder.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/paint/timeline_painter.hpp"
#include "gui/widgets/figures_strip.hpp"
#include "gui/widgets/inspector.hpp"

namespace vacancy::gui {

/// To run a file as it is.
inline RunRequest run_of(const QString& path) {
  RunRequest request;
  request.file = path.toStdString();
  return request;
}

/// A file with its folder: "serving/chats.json"; what is no file, as it is.
QString title_of(const QString& path);
/// The same, and of a fork what it does.
QString title_of(const RunRequest& request);

/// One run in a window: its file, its recording and the moment that is shown. All views of the run
/// paint from here; nobody else moves its cursor.
class RunSession final : public QObject {
  Q_OBJECT

 public:
  explicit RunSession(QObject* parent = nullptr);

  /// Runs a file in the background; the old run stays until the new one begins.
  void open(RunRequest request);
  void reload();
  void cancel();
  void close();
  /// A run that was made elsewhere.
  void adopt(std::shared_ptr<const Recording> recording, const QString& path);
  /// Each has what the other had, runs that go on included. Nothing is run again, and both stay at
  /// their moments.
  void exchange(RunSession& other);

  /// What was opened last.
  const RunRequest& opened() const { return opened_; }
  /// What the shown run is a run of, to run it again with changes; without a run what was opened.
  const RunRequest& request() const { return has_run() ? request_ : opened_; }
  QString path() const { return QString::fromStdString(request().file.string()); }
  QString opened_path() const { return QString::fromStdString(opened_.file.string()); }
  QString title() const { return title_of(request()); }
  /// What was opened last could not be run, and the run from before is still shown.
  bool stale() const { return has_run() && refused_; }
  /// What is shown is what was opened last.
  bool current() const { return has_run() && !opening_ && !refused_; }
  bool running() const { return controller_->busy(); }
  bool has_run() const { return playback_ != nullptr; }
  /// A run with blocks that can be drawn.
  bool has_map() const { return has_run() && recording().shape().has_map; }

  // From here on only with a run.
  const Recording& recording() const { return playback_->cursor().recording(); }
  std::shared_ptr<const Recording> shared_recording() const {
    return playback_->cursor().shared_recording();
  }
  Playback& playback() { return *playback_; }
  const Replica& replica() const { return playback_->cursor().replica(); }
  /// How many events have happened.
  std::uint64_t moment() const { return playback_->cursor().event(); }
  std::int64_t time_ns() const { return playback_->cursor().time_ns(); }
  /// Events, once the run is over and all of it was one instant of virtual time.
  AxisUnit axis_unit() const;
  /// The whole run on a timeline's axis.
  TimeSpan span(AxisUnit unit) const;

  /// Blocks of each pool in the order of ids.
  std::vector<std::uint32_t> pools() const;
  /// Valid until the moment changes.
  MapScene scene();
  /// From now on scenes and sentences have the scores of that sequence, once they are found
  /// (ScoreFinder::changed).
  void look_for_scores(std::optional<std::uint32_t> sequence) {
    if (has_map()) finder_.look(playback_->cursor(), sequence);
  }
  /// The same, and waits for them.
  void find_scores(std::uint32_t sequence) { finder_.find(playback_->cursor(), sequence); }
  ScoreFinder& score_finder() { return finder_; }
  const ScoreFinder& score_finder() const { return finder_; }
  std::vector<Figure> figures() const;
  std::vector<TimelineColumn> columns(TimeSpan span, int count, AxisUnit unit) const;
  /// The moment that is shown: as a column, and where it is on an axis.
  TimelineColumn column_now() const;
  /// Slots by class now; where events name no blocks, as the last step left them.
  SlotClasses slots_now() const;
  std::int64_t place(AxisUnit unit) const;
  BlockFacts facts(std::uint32_t block) const;
  /// What happened to the block before; takes milliseconds.
  void add_history(BlockFacts& facts);
  QString tooltip(std::uint32_t block, std::optional<std::uint32_t> slot) const;
  /// Evicted tokens so far, summed over tables.
  std::uint64_t evicted_tokens() const;

  void seek(std::uint64_t event);
  void seek_time(std::int64_t time_ns);
  void seek_place(std::int64_t place, AxisUnit unit);
  bool step(StepUnit unit, std::int64_t count);
  void play(bool on);
  bool playing() const { return playback_ && playback_->playing(); }
  void set_speed(double factor);
  bool run_until(const Until& until);

 Q_SIGNALS:
  void opening();
  /// Another run is there; nothing of the old one is valid.
  void replaced();
  void moment_changed();
  /// More of the run is recorded, or it is over.
  void grew();
  void refused(const QString& sentences);
  void playing_changed(bool on);

 private:
  void listen();
  void take(std::shared_ptr<const Recording> recording);
  std::vector<TimelineColumn> columns_by_event(TimeSpan span, std::size_t count) const;
  /// Blocks of the device now, and those that are held.
  struct BlockCounts {
    std::uint64_t all = 0, held = 0;
  };
  BlockCounts block_counts() const;
  /// Of the series' rows up to now the last; nothing before the first.
  std::optional<std::uint64_t> row_now() const;
  void tick();
  std::span<const SlotView> slots_of(std::uint32_t block) const;
  /// By block, in block_scores_.
  void show_scores();
  void forget_scores();

  std::unique_ptr<RunController> controller_ = std::make_unique<RunController>();
  ScoreFinder finder_;
  RunRequest opened_, request_;
  bool opening_ = false, refused_ = false;
  std::unique_ptr<Playback> playback_;
  QTimer clock_, growth_;
  QElapsedTimer wall_;
  bool follow_ = false;  // the end of a run that goes on

  // The scene's pages where the pool grew during the run, so that its map need not.
  std::uint32_t most_blocks_ = 0;
  std::vector<std::shared_ptr<const BlockPage>> pages_;
  std::vector<float> block_scores_;
  std::vector<BlockScore> scored_;  // of these, those that were weighed
  mutable std::vector<SlotView> slot_views_;
  std::optional<BlockHistory> block_history_;
};

}  // namespace vacancy::gui
