// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>

#include "gui/app/export_job.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// Head, the timeline's strips and the key to their classes.
void draw_timeline_sheet(QPainter& painter, const RunSession& session, const ExportJob& job,
                         double scale);

}  // namespace vacancy::gui
