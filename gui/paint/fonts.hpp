// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFont>
#include <QGuiApplication>
#include <algorithm>
#include <cmath>

namespace vacancy::gui {

/// The application's font in a size of pixels. Sizes of the design are pixels, so that a view is
/// the same on every screen.
inline QFont ui_font(double pixels, bool bold = false) {
  QFont font = QGuiApplication::font();
  font.setPixelSize(std::max(1, static_cast<int>(std::lround(pixels))));
  font.setBold(bold);
  return font;
}

/// The largest size from `pixels` down to the smallest of the design in which a text has room;
/// where none is small enough the smallest, in which the text is to be elided.
QFont fitting_font(const QString& text, int room, double pixels, bool bold = false);

/// The families that the design is made for, the first that is there: Noto Sans, else DejaVu Sans.
QFont application_font();
QFont code_font();

}  // namespace vacancy::gui
