// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSize>
#include <QString>
#include <cstdint>
#include <optional>

#include "gui/app/lesson_wish.hpp"
#include "gui/lessons/lesson_shelf.hpp"
#include "gui/model/selection.hpp"
#include "gui/paint/map_layout.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/widgets/run_session.hpp"

namespace vacancy::gui {

// What the options of the command line say. A text that is none of what its option takes is a
// UserError: the option, the text and what would be right. Nothing is made to fit.

/// --size: at least `smallest`.
QSize size_option(const QString& text, QSize smallest);
/// --zoom
MapZoom zoom_option(const QString& text);
/// --colour-by
Colouring colouring_option(const QString& text);
/// "state, sequence, references or age"
QString colouring_words();
/// --at: to a moment of the session's run.
void seek_option(RunSession& session, const QString& text);
/// --select: a block with its owner, or a sequence with its blocks, as both are at the moment.
void select_option(Selection& selection, const RunSession& session, const QString& text);

/// --lesson and what belongs to it, as written.
struct LessonOptions {
  QString number;
  std::optional<QString> seed, step, answer;
};
LessonWish lesson_option(const LessonOptions& options, const LessonShelf& shelf);

}  // namespace vacancy::gui
