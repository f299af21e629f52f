// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QWidget>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "gui/paint/map_marks.hpp"
#include "gui/paint/map_painter.hpp"

namespace vacancy::gui {

/// Where the map has its row addresses; the timeline below has its own there.
inline constexpr int map_gutter = 48;
/// Above and below its cells, for outlines around the first and last row.
inline constexpr int map_margin = 4;

/// The pool as a heat map that can be zoomed, panned, hovered and selected, with mouse or keyboard.
/// It owns no state of the run: it is given what to show, and says what was asked for.
class MapView final : public QWidget {
  Q_OBJECT

 public:
  explicit MapView(QWidget* parent = nullptr);

  /// Blocks of each pool, in order of ids; the whole map is fitted again if they changed.
  void set_pools(std::vector<std::uint32_t> pools);
  /// What its spans point to lives until the next call or clear().
  void set_scene(MapScene scene);
  void clear();
  /// Why there is no map, in its place; empty where there is one.
  void set_missing(const QString& words);
  const MapScene& scene() const { return scene_; }

  void set_colouring(Colouring colouring);
  void isolate(std::optional<BlockClass> c);
  void set_selected(std::vector<std::uint32_t> blocks);
  void set_sequence_blocks(std::vector<std::uint32_t> blocks);
  void set_changed(std::vector<std::uint32_t> blocks);
  void set_moves(std::vector<MoveMark> moves);
  /// What hangs beside the pointer, as rich text.
  void set_tooltip(
      std::function<QString(std::uint32_t block, std::optional<std::uint32_t> slot)> f);
  /// 0: as the pool and the view ask for.
  void set_row_length(std::uint32_t blocks);
  /// What fit() shows all of, if not the map's own pools: of two maps side by side the larger ones.
  void set_fit_pools(std::vector<std::uint32_t> pools);
  /// The rows, zoom and origin of another map of about this size, fitted if that is.
  void share_place(const MapView& of);

  const std::vector<std::uint32_t>& pools() const { return pools_; }
  const MapLayout& layout() const { return layout_; }
  /// The cells' part of the widget, in its pixels.
  QRect cells_area() const;
  void set_zoom(MapZoom zoom, QPoint origin);
  std::optional<std::uint32_t> focus_block() const { return focus_; }

 public Q_SLOTS:
  void zoom_in();
  void zoom_out();
  void fit();
  void fit_selection();
  void pan(int cells_right, int cells_down);
  void move_focus(int columns, int rows);
  /// So that a block is in view.
  void reveal(std::uint32_t block);
  /// As if the pointer were there; another view says so.
  void hover(std::optional<std::uint32_t> block);

 Q_SIGNALS:
  void hovered(std::optional<std::uint32_t> block);
  void chosen(std::uint32_t block, bool add);
  void opened(std::uint32_t block);  // double click or Enter
  /// Zoom, place or row length changed, by the user or by a new size.
  void place_changed();

 protected:
  void paintEvent(QPaintEvent*) override;
  void hideEvent(QHideEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void leaveEvent(QEvent*) override;
  void keyPressEvent(QKeyEvent*) override;
  void focusInEvent(QFocusEvent*) override;
  void focusOutEvent(QFocusEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  QPoint device(QPointF position) const;
  void lay_out();
  void zoom_to(MapZoom zoom, QPoint device_pixel);
  QPoint zoom_centre() const;
  void show_tip(QPoint global);
  MapMarks marks() const;

  MapScene scene_;
  std::vector<std::uint32_t> pools_, fit_pools_;
  MapLayout layout_;
  MapPainter painter_;
  QString missing_;
  std::uint32_t wanted_row_length_ = 0;
  bool fitted_ = true;

  std::vector<std::uint32_t> selected_, sequence_blocks_, changed_;
  std::vector<MoveMark> moves_;
  std::optional<std::uint32_t> hovered_, hovered_slot_, focus_;
  std::function<QString(std::uint32_t, std::optional<std::uint32_t>)> tooltip_;

  std::optional<QPointF> pressed_;  // where the button went down
  QPoint pressed_origin_;
  bool dragging_ = false;
  int wheel_ = 0;  // of a step that is not complete
};

}  // namespace vacancy::gui
