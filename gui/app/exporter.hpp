// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QByteArray>
#include <QString>
#include <cstdint>

#include "gui/app/export_job.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

/// Nothing half-written: a file is there whole or not at all. What went wrong, or nothing.
QString export_run(RunSession& session, const ExportJob& job);

/// One row for each change in the span and up to the moment: integers, counts since the start.
QByteArray series_csv(const Recording& recording, TimeSpan span, AxisUnit unit,
                      std::uint64_t last_event = UINT64_MAX);

}  // namespace vacancy::gui
