// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QSettings>

namespace vacancy::gui {

/// What the program remembers from one start to the next.
inline QSettings app_settings() {
  return QSettings(QSettings::IniFormat, QSettings::UserScope, QStringLiteral("vacancy"),
                   QStringLiteral("vacancy-gui"));
}

/// Of saved layouts: another one is not restored.
inline constexpr int layout_version = 1;

}  // namespace vacancy::gui
