// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <cstdint>
#include <optional>

#include "gui/app/main_window.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// What the command line asks for, as it was written there.
struct HeadlessExport {
  QStringList files;
  QString out, at, view, size;
  QString select, zoom;              // of a window: a block; pixels a cell
  std::optional<LessonWish> lesson;  // one of its pages, in the place of a run
  Theme theme = Theme::light;
};

/// Runs the scenario, or two for a window, to the end and writes the picture. What is wrong, or
/// nothing.
QString headless_export(const HeadlessExport& job);

}  // namespace vacancy::gui
