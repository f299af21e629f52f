// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QString>
#include <cstdint>
#include <optional>

#include "gui/paint/map_layout.hpp"
#include "gui/paint/timeline_layout.hpp"
#include "gui/widgets/run_session.hpp"

class QPainter;

namespace vacancy::gui {

enum class ExportView : std::uint8_t { map, timeline, window, series };

/// A picture or table of a run's present moment. A function of the run and the job: no window is
/// asked.
struct ExportJob {
  ExportView view = ExportView::map;
  QString path;            // .png (two pixels a pixel), .svg, .pdf; .csv for series
  QSize size{1600, 1000};  // logical pixels
  Theme theme = Theme::light;
  Colouring colouring = Colouring::state;
  std::optional<TimeSpan> span;  // of timeline and series; the whole run
};

/// Nothing half-written: a file is there whole or not at all. What went wrong, or nothing.
QString export_run(RunSession& session, const ExportJob& job);

/// The whole pool on a sheet, in its device pixels, and where on the sheet it stands.
struct SheetMap {
  MapLayout layout;
  QPoint at;
};
SheetMap map_on_sheet(const RunSession& session, const ExportJob& job, double scale);

/// Caption, map, addresses and legend.
void draw_map_sheet(QPainter& painter, RunSession& session, const ExportJob& job, double scale);
void draw_timeline_sheet(QPainter& painter, RunSession& session, const ExportJob& job,
                         double scale);
/// One row for each change in the span: integers, counts since the start.
QByteArray series_csv(const Recording& recording, TimeSpan span, AxisUnit unit);

}  // namespace vacancy::gui
