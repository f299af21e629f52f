// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/fonts.hpp"

#include <QStringList>

namespace vacancy::gui {

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
