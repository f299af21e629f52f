// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/focus_ring.hpp"

#include <QAbstractButton>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QApplication>
#include <QComboBox>
#include <QLineEdit>
#include <QPainter>
#include <QScrollArea>

#include "gui/paint/palette.hpp"

namespace vacancy::gui {
namespace {

constexpr double ring_width = 2, ring_strength = 0.45;

class Ring final : public QFocusFrame {
 protected:
  void paintEvent(QPaintEvent*) override {
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QColor accent(palette_of(application_theme()).accent);
    accent.setAlphaF(static_cast<float>(ring_strength));
    painter.setPen(QPen(accent, ring_width));
    constexpr double inset = ring_width / 2;
    painter.drawRoundedRect(QRectF(rect()).adjusted(inset, inset, -inset, -inset), 5, 5);
  }
};

bool is_control(const QWidget* widget) {
  return qobject_cast<const QAbstractButton*>(widget) != nullptr ||
         qobject_cast<const QAbstractSpinBox*>(widget) != nullptr ||
         qobject_cast<const QAbstractSlider*>(widget) != nullptr ||
         qobject_cast<const QComboBox*>(widget) != nullptr ||
         qobject_cast<const QScrollArea*>(widget) != nullptr ||
         qobject_cast<const QLineEdit*>(widget) != nullptr;
}

}  // namespace

FocusRing::FocusRing(QObject* parent) : QObject(parent) {
  connect(qApp, &QApplication::focusChanged, this, [this](QWidget*, QWidget* now) { follow(now); });
}

void FocusRing::follow(QWidget* focused) {
  const bool control = focused != nullptr && is_control(focused);
  if (frame_.isNull()) {
    if (!control) return;
    frame_ = new Ring;
  }
  frame_->setWidget(control ? focused : nullptr);
}

}  // namespace vacancy::gui

#include "moc_focus_ring.cpp"
