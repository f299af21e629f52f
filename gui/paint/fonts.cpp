// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/fonts.hpp"

#include <QFontMetrics>
#include <QStringList>

namespace vacancy::gui {

QFont fitting_font(const QString& text, int room, double pixels, bool bold) {
  constexpr double smallest = 10.5;
  double size = pixels;
  while (size > smallest && QFontMetrics(ui_font(size, bold)).horizontalAdvance(text) > room)
    size -= 1;
  return ui_font(std::max(size, smallest), bold);
}

QFont application_font() {
  QFont font(QStringList{QStringLiteral("Noto Sans"), QStringLiteral("DejaVu Sans")});
  font.setStyleHint(QFont::SansSerif);
  font.setPixelSize(13);
  return font;
}

QFont code_font() {
  QFont font(QStringList{QStringLiteral("DejaVu Sans Mono"), QStringLiteral("Noto Sans Mono")});
  font.setStyleHint(QFont::Monospace);
  font.setPixelSize(13);
  return font;
}

}  // namespace vacancy::gui
