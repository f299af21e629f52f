// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <optional>

#include "gui/model/selection.hpp"
#include "gui/model/two_runs.hpp"
#include "gui/paint/difference_strip.hpp"
#include "gui/widgets/compare_figures.hpp"
#include "gui/widgets/compare_timeline.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/playback_bar.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// Two runs side by side at one time, with one zoom, one place and one selection.
class ComparePage final : public QWidget {
  Q_OBJECT

 public:
  ComparePage(RunSession& a, RunSession& b, Selection& selection, const CommandSet& commands,
              QWidget* parent = nullptr);

  MapView& map(bool b) { return *(b ? map_b_ : map_a_); }
  CompareTimeline& timeline() { return *timeline_; }
  CompareFigures& figures() { return *figures_; }
  PlaybackBar& playback() { return *bar_; }
  /// Nothing: the runs are the same.
  void set_divergence(std::optional<Divergence> divergence);
  /// Whether they part is not known yet.
  void forget_divergence();
  /// Both to where they part; false where nothing is known to part.
  bool seek_divergence();
  /// Both to where A is.
  void seek_leader();
  /// A's run is B's, and B's is A's, each at its moment.
  void swap_runs();

 protected:
  void paintEvent(QPaintEvent*) override;
  void showEvent(QShowEvent*) override;

 private:
  class Head;
  class SharedLegend;
  class Strip;
  void show_runs();
  void follow(RunSession& leader, RunSession& other);
  void seek(std::int64_t place);
  std::int64_t place_of(const Divergence& divergence) const;
  void show_moment();
  void show_selection();
  void connect_map(MapView& map, MapView& other, RunSession& session);

  RunSession &a_, &b_;
  Selection& selection_;
  AxisUnit unit_ = AxisUnit::nanoseconds;
  std::int64_t place_ = 0;  // on the timeline's axis
  std::optional<Divergence> divergence_;
  bool following_ = false;
  Head *head_a_, *head_b_;
  MapView *map_a_, *map_b_;
  SharedLegend* legend_;
  Strip* strip_;
  PlaybackBar* bar_;
  CompareTimeline* timeline_;
  CompareFigures* figures_;
};

}  // namespace vacancy::gui
