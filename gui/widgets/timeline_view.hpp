// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/paint/timeline_painter.hpp"

namespace vacancy::gui {

/// Right of map and timeline, for what their colours mean; the two share their x-axis' ends.
inline constexpr int legend_gap = 18;
inline constexpr int legend_width = 146;

/// A run over time: what the pool was made of, what was promised and what came back, and when. Its
/// cursor is the time of the map.
class TimelineView final : public QWidget {
  Q_OBJECT

 public:
  explicit TimelineView(QWidget* parent = nullptr);

  /// What to show; `run` grows while it goes on.
  void set_run(TimelineReader reader, TimeSpan run, AxisUnit unit, std::uint64_t events,
               std::uint32_t block_size);
  void clear();
  /// The moment of the map, on the axis and in time, and what is there: of several moments of one
  /// time the one that is shown.
  void set_cursor(std::int64_t place, std::int64_t time_ns, const TimelineColumn& there);
  /// For a run that is compared: marks where the two part.
  void set_divergence(std::optional<std::int64_t> time_ns);

  AxisUnit unit() const { return unit_; }
  TimeSpan run() const { return run_; }
  TimeSpan shown() const { return shown_; }
  std::optional<TimeSpan> brushed() const { return brushed_; }
  TimeAxis axis() const;
  /// Beside the marks, what each of them means.
  QRect tick_key() const;
  /// What hangs beside a pointer that is there: what the marks below it mean, else the classes.
  QString help_at(QPoint at) const;

 public Q_SLOTS:
  void show_span(vacancy::gui::TimeSpan span);
  void zoom_in();
  void zoom_out();
  void show_all();
  /// The brushed span becomes what is shown.
  void show_brushed();
  void clear_brush();

 Q_SIGNALS:
  /// The user asks for another moment.
  void moved_to(std::int64_t place);
  void span_changed(vacancy::gui::TimeSpan span);
  void brush_changed();

 protected:
  QSize sizeHint() const override { return {800, 217}; }
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseReleaseEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void changeEvent(QEvent*) override;
  bool event(QEvent*) override;

 private:
  enum class Drag { none, cursor, brush, pan, map, map_left, map_right };
  TimelineStrips strips() const;
  void read();
  void draw_still(QPainter& painter) const;
  void draw_legend(QPainter& painter) const;
  std::optional<std::size_t> column_at(int x) const;

  TimelineReader reader_;
  AxisUnit unit_ = AxisUnit::nanoseconds;
  TimeSpan run_{0, 1}, shown_{0, 1};
  std::uint64_t events_ = 0;
  std::uint32_t block_size_ = 16;
  bool follows_ = true;  // the whole run is shown, also while it grows
  std::int64_t cursor_ = 0, cursor_ns_ = 0;
  std::optional<std::int64_t> divergence_;
  std::optional<TimeSpan> brushed_;

  std::vector<TimelineColumn> columns_, whole_;  // of what is shown; of the run
  TimelineColumn cursor_column_;
  QPixmap still_;  // all but cursor and brush

  Drag drag_ = Drag::none;
  std::int64_t drag_time_ = 0;
  TimeSpan drag_span_;
};

}  // namespace vacancy::gui
