// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSplitter>
#include <QTimer>
#include <QWidget>
#include <optional>

#include "gui/model/selection.hpp"
#include "gui/widgets/figures_strip.hpp"
#include "gui/widgets/legend.hpp"
#include "gui/widgets/map_header.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/overview.hpp"
#include "gui/widgets/playback_bar.hpp"
#include "gui/widgets/progress_strip.hpp"
#include "gui/widgets/run_session.hpp"
#include "gui/widgets/timeline_view.hpp"
#include "gui/widgets/what_if_bar.hpp"

namespace vacancy::gui {

/// One run: figures, map with legend, playback, timeline. It follows a session and a selection.
class RunPage final : public QWidget {
  Q_OBJECT

 public:
  RunPage(RunSession& session, Selection& selection, const CommandSet& commands,
          QWidget* parent = nullptr);

  MapView& map() { return *map_; }
  TimelineView& timeline() { return *timeline_; }
  Legend& legend() { return *legend_; }
  MapHeader& header() { return *header_; }
  PlaybackBar& playback() { return *bar_; }
  FiguresStrip& figures() { return *figures_; }
  QSplitter& splitter() { return *splitter_; }
  /// Cells that the last step changed are outlined for a moment.
  void mark_changes(const std::vector<std::uint32_t>& blocks);
  /// Previews of every way to reclaim for the selected sequence, now.
  void show_what_if();
  WhatIfBar& what_if_bar() { return *what_if_; }

 protected:
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void showEvent(QShowEvent*) override;

 private:
  void show_run();
  void show_moment();
  void show_growth();
  void show_selection();
  void show_caption();
  void look_for_scores();

  RunSession& session_;
  Selection& selection_;
  FiguresStrip* figures_;
  MapHeader* header_;
  MapView* map_;
  Legend* legend_;
  Overview* overview_;
  ProgressStrip* progress_;
  WhatIfBar* what_if_;
  PlaybackBar* bar_;
  TimelineView* timeline_;
  QSplitter* splitter_;
  QTimer changed_until_;
  std::uint64_t what_if_event_ = 0;  // of the previews
};

}  // namespace vacancy::gui
