// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/key_guard.hpp"

#include <QAbstractButton>
#include <QAbstractItemView>
#include <QAbstractSlider>
#include <QAbstractSpinBox>
#include <QComboBox>
#include <QKeyEvent>
#include <QTabBar>

namespace vacancy::gui {
namespace {

bool navigates(int key) {
  switch (key) {
    case Qt::Key_Left:
    case Qt::Key_Right:
    case Qt::Key_Up:
    case Qt::Key_Down:
    case Qt::Key_Home:
    case Qt::Key_End:
    case Qt::Key_PageUp:
    case Qt::Key_PageDown:
      return true;
    default:
      return false;
  }
}

bool wants(const QObject* control, const QKeyEvent& key) {
  if ((key.modifiers() & ~(Qt::ShiftModifier | Qt::KeypadModifier)) != 0) return false;
  if (qobject_cast<const QAbstractButton*>(control) != nullptr) return key.key() == Qt::Key_Space;
  if (qobject_cast<const QAbstractSlider*>(control) != nullptr ||
      qobject_cast<const QTabBar*>(control) != nullptr)
    return navigates(key.key());
  if (qobject_cast<const QComboBox*>(control) != nullptr ||
      qobject_cast<const QAbstractItemView*>(control) != nullptr ||
      qobject_cast<const QAbstractSpinBox*>(control) != nullptr)
    return navigates(key.key()) || key.key() == Qt::Key_Space ||
           (!key.text().isEmpty() && key.text().front().isLetterOrNumber());
  return false;
}

}  // namespace

bool KeyGuard::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ShortcutOverride && wants(watched, *static_cast<QKeyEvent*>(event)))
    event->accept();
  return QObject::eventFilter(watched, event);
}

}  // namespace vacancy::gui

#include "moc_key_guard.cpp"
