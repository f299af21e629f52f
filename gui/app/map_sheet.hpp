// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>

#include "gui/app/export_job.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// A map on a sheet, in its device pixels, and where on the sheet it stands.
struct SheetMap {
  MapLayout layout;
  QPoint at;
};
SheetMap map_on_sheet(const RunSession& session, const ExportJob& job, double scale);
/// The sheet on which a map has as much room as in a window, and its legend enough.
QSize sheet_around(const MapLayout& shown);

/// Head, map, addresses and key, as a window shows them.
void draw_map_sheet(QPainter& painter, RunSession& session, const ExportJob& job, double scale);

}  // namespace vacancy::gui
