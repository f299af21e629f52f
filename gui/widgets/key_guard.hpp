// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>

namespace vacancy::gui {

/// Keys that a control with the keyboard has a use for are the control's, although the window has
/// shortcuts for them: Space presses the button it is on, arrows move in lists, letters search
/// them.
class KeyGuard final : public QObject {
  Q_OBJECT

 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace vacancy::gui
