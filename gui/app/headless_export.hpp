// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QString>
#include <QStringList>
#include <optional>

#include "gui/app/lesson_wish.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// What the command line asks for, as it was written there.
struct HeadlessExport {
  QStringList files;
  QString out;
  std::optional<QString> view, size;
  std::optional<QString> at;                       // the end without
  std::optional<QString> select, zoom, colour_by;  // of a map, on a sheet or in a window
  std::optional<LessonWish> lesson;                // one of its pages, in the place of a run
  std::optional<Theme> theme;                      // light without
};

/// Runs the scenario, or two for a window, to the end and writes the picture. What is wrong, or
/// nothing.
QString headless_export(const HeadlessExport& job);

/// "map, timeline, …": what --view takes.
QString view_words();

}  // namespace vacancy::gui
