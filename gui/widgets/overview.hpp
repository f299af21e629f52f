// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>

#include "gui/widgets/map_view.hpp"

namespace vacancy::gui {

/// The whole pool, small, with a frame around what a map shows of it. Dragging moves the map. It is
/// there only while the map shows a part.
class Overview final : public QWidget {
  Q_OBJECT

 public:
  explicit Overview(MapView& map, QWidget* parent = nullptr);

  /// The map shows something else, or from somewhere else. Where there is less room than that,
  /// nothing is shown.
  void follow(int room);

 protected:
  void paintEvent(QPaintEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;

 private:
  QRect picture() const;
  /// Pixels of the picture a cell of the map.
  double cell_width() const;
  double cell_height() const;

  MapView& map_;
  MapPainter painter_;
  MapLayout layout_;
};

}  // namespace vacancy::gui
