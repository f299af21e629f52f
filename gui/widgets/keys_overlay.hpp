// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

namespace vacancy::gui {

/// All keys over the window, by menu; any key or click lets it go.
class KeysOverlay final : public QWidget {
  Q_OBJECT

 public:
  explicit KeysOverlay(QWidget* over);
  void open();

 protected:
  void paintEvent(QPaintEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
};

}  // namespace vacancy::gui
