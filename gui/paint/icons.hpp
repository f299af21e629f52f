// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QIcon>
#include <QPainter>
#include <QPainterPath>
#include <array>
#include <cstdint>
#include <string_view>

#include "gui/paint/palette.hpp"

namespace vacancy::gui {

enum class Icon : std::uint8_t {
  open,
  save,
  reload,
  share,  // export: the word is C++'s
  undo,
  redo,
  compare,
  search,
  play,
  pause,
  forward,
  back,
  first,
  last,
  plus,
  minus,
  fit,
  chevron_down,
  chevron_right,
  close,
  help,
  lock,
  pin,
  warning,
  error,
  check,
  table,
  tree,
  queue,
  drop,
  bolt,
  run,
  book,
  none
};
inline constexpr std::size_t icon_count = static_cast<std::size_t>(Icon::none);

/// On a grid of 16 × 16 units, to be stroked 1.4 wide with round caps; `play` is filled.
QPainterPath icon_path(Icon icon);
/// Filled instead of stroked.
bool icon_is_filled(Icon icon);
void draw_icon(QPainter& painter, Icon icon, const QRectF& box, QColor ink);

/// In ink 2 of the theme at the time of painting, at any size and pixel ratio; grey when disabled.
/// `on_accent`: for a button filled with the accent.
QIcon make_icon(Icon icon, bool on_accent = false);

/// What happened, as a sign beside its words: never colour alone.
enum class Glyph : std::uint8_t { evict, reclaim, admit, finish, preempt, divergence, other };
/// Centred, `size` wide, in the colour that design gives it.
void draw_glyph(QPainter& painter, Glyph glyph, QPointF centre, double size,
                const Palette& palette);
QRgb glyph_colour(Glyph glyph, const Palette& palette);

/// The program's mark: a block that is live, one with holes, a free one, a live one.
QIcon program_icon();
void draw_program_mark(QPainter& painter, const QRectF& box, const Palette& palette);

}  // namespace vacancy::gui
