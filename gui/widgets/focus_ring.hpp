// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QFocusFrame>
#include <QObject>
#include <QPointer>

namespace vacancy::gui {

/// Puts a ring around the control that has the keyboard: buttons, fields, sliders. Views that are
/// painted show their own.
class FocusRing final : public QObject {
  Q_OBJECT

 public:
  /// For all windows of the application, as long as it lives.
  explicit FocusRing(QObject* parent);
  FocusRing(const FocusRing&) = delete;
  FocusRing& operator=(const FocusRing&) = delete;
  /// The frame goes too: it would look for its control's place while a window is taken apart.
  ~FocusRing() override { delete frame_; }

  /// The control with the ring now; null: none.
  QWidget* ringed() const { return frame_ ? frame_->widget() : nullptr; }

 private:
  void follow(QWidget* focused);

  QPointer<QFocusFrame> frame_;  // goes with the parent of what it frames
};

}  // namespace vacancy::gui
