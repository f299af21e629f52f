// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCheckBox>
#include <QComboBox>
#include <QSlider>
#include <QSpinBox>
#include <catch2/catch.hpp>

#include "gui/widgets/theme.hpp"
#include "tests/gui/paint/colour_science.hpp"
#include "tests/gui/paint/themes.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::gui::test;

/// Of what stands at a control's left edge, half way up, against the panel: its outline.
double outline_contrast(QWidget& control, Theme theme) {
  control.resize(control.sizeHint());
  const QImage image = control.grab().toImage();
  double most = 1;
  for (int x = 0; x < 8; ++x)
    most = std::max(most, contrast(image.pixel(x, image.height() / 2), palette_of(theme).panel));
  return most;
}

TEST_CASE("controls that are empty can be seen, in both themes") {
  const QString sheet = qApp->styleSheet();
  const QPalette palette = QApplication::palette();
  for (const Theme theme : themes) {
    CAPTURE(static_cast<int>(theme));
    set_theme(*qApp, theme);
    QCheckBox check;
    QComboBox choice;
    QSpinBox number;
    QSlider slider(Qt::Horizontal);
    CHECK(outline_contrast(check, theme) >= 2.5);
    CHECK(outline_contrast(choice, theme) >= 2.5);
    CHECK(outline_contrast(number, theme) >= 2.5);
    CHECK(outline_contrast(slider, theme) >= 2.5);
  }
  qApp->setStyleSheet(sheet);
  QApplication::setPalette(palette);
}

}  // namespace
