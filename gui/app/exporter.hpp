// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <QWidget>
#include <cstdint>

#include "gui/app/export_job.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// Nothing half-written: a file is there whole or not at all. Throws UserError.
void export_run(RunSession& session, const ExportJob& job);

/// A window as it is shown, as a .png. Throws UserError.
void export_window(QWidget& window, const QString& path);

/// One row for each change in the span and up to the moment: integers, counts since the start.
QByteArray series_csv(const Recording& recording, TimeSpan span, AxisUnit unit,
                      std::uint64_t last_event = UINT64_MAX);

}  // namespace vacancy::gui
