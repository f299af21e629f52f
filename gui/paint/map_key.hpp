// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPainter>
#include <QString>
#include <cstdint>

#include "gui/model/legend.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

// What a map's colours, textures and frames mean, row by row: in the legend of a window and on a
// sheet.

/// A swatch with the class's texture and mark. Where colour says something else than state, stripes
/// of those colours stand for it.
void draw_swatch(QPainter& painter, const QRect& box, BlockClass c, const Palette& palette,
                 Colouring colouring = Colouring::state);

/// A class with its slots and share: on two lines where the box is high enough. The count is left
/// out where there is no room for it.
void paint_class_row(QPainter& painter, const QRect& box, const LegendRow& row,
                     const Palette& palette, Colouring colouring);

/// What the colours of a colouring other than by state say: its name, the colours, and below them
/// what they stand for.
inline constexpr int ramp_height = 51;
void paint_ramp(QPainter& painter, const QRect& box, Colouring colouring, const Palette& palette);

/// A frame as it is drawn around blocks.
struct FrameKey {
  QRgb ink;
  int width;
  QString name;
};
inline constexpr int frame_row_height = 20;
void paint_frame_row(QPainter& painter, const QRect& box, const FrameKey& key,
                     const Palette& palette);

}  // namespace vacancy::gui
