// SPDX-License-Identifier: Apache-2.0
#include "gui/lessons/step_dots.hpp"

#include <QPainter>
#include <utility>

#include "gui/paint/icons.hpp"

namespace vacancy::gui {

namespace {

constexpr int distance = 26, height_of_dots = 24;
constexpr double radius = 7;

}  // namespace

void StepDots::set_steps(std::vector<bool> passed, std::size_t current) {
  passed_ = std::move(passed);
  current_ = current;
  const QString text = tr("Step %1 of %2").arg(current_ + 1).arg(passed_.size());
  setAccessibleName(text);
  setToolTip(text);
  updateGeometry();
  update();
}

QSize StepDots::sizeHint() const {
  return {static_cast<int>(passed_.size()) * distance, height_of_dots};
}

void StepDots::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& palette = palette_of(application_theme());
  for (std::size_t i = 0; i < passed_.size(); ++i) {
    const QPointF centre((static_cast<double>(i) + 0.5) * distance, height() / 2.0);
    const bool ticked = passed_[i] && i != current_;
    const bool bold = ticked || i == current_;
    painter.setPen(QPen(QColor(bold ? palette.accent : palette.field_border), bold ? 1.6 : 1.2));
    painter.setBrush(QColor(ticked ? palette.accent : palette.panel));
    painter.drawEllipse(centre, radius, radius);
    if (ticked)
      draw_icon(painter, Icon::check, QRectF(centre.x() - 5, centre.y() - 5, 10, 10),
                QColor(palette.on_accent));
    if (i != current_) continue;
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(palette.accent));
    painter.drawEllipse(centre, 3, 3);
  }
}

}  // namespace vacancy::gui

#include "moc_step_dots.cpp"
