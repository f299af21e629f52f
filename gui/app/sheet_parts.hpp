// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QStringList>

#include "gui/app/export_job.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

// What the sheets of map and timeline have in common. In logical pixels.

inline constexpr int sheet_margin = 16, sheet_head = 76, sheet_legend = 190;

/// What run at what moment, and lines that say what is drawn.
void draw_head(QPainter& painter, const RunSession& session, const ExportJob& job,
               const QStringList& captions);
/// All classes of slots with their shares, from `at` down to where they end. `high`: what there is
/// room for.
int draw_class_key(QPainter& painter, const RunSession& session, const ExportJob& job, QPoint at,
                   int high);

}  // namespace vacancy::gui
