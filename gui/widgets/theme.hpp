// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QApplication>

#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// Fusion in the design's colours and font, everywhere the same pixels.
void set_theme(QApplication& application, Theme theme);

/// The design's colours in palette roles.
QPalette widget_palette(Theme theme);

}  // namespace vacancy::gui
