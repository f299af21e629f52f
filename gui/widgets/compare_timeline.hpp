// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPixmap>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/paint/timeline_painter.hpp"

namespace vacancy::gui {

/// Two runs over one time axis, and free blocks of B less those of A.
class CompareTimeline final : public QWidget {
  Q_OBJECT

 public:
  explicit CompareTimeline(QWidget* parent = nullptr);

  void set_runs(TimelineReader a, TimelineReader b, TimeSpan both, AxisUnit unit,
                std::uint32_t block_size_a, std::uint32_t block_size_b);
  /// Nothing is read any more.
  void clear();
  /// `a` and `b` are what the runs hold at that moment.
  void set_cursor(std::int64_t place, const TimelineColumn& a, const TimelineColumn& b);
  void set_divergence(std::optional<std::int64_t> place);
  TimeSpan shown() const { return shown_; }

 public Q_SLOTS:
  void show_all();

 Q_SIGNALS:
  void moved_to(std::int64_t place);

 protected:
  QSize sizeHint() const override { return {1000, 300}; }
  void paintEvent(QPaintEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void wheelEvent(QWheelEvent*) override;
  void mousePressEvent(QMouseEvent*) override;
  void mouseMoveEvent(QMouseEvent*) override;
  void mouseDoubleClickEvent(QMouseEvent*) override;
  void changeEvent(QEvent*) override;

 private:
  struct Strips {
    QRect axis, a, b, difference;
  };
  Strips strips() const;
  TimeAxis axis() const;
  void read();
  void draw_still(QPainter& painter) const;
  void draw_side(QPainter& painter, const QRect& strip, const TimelineColumn& column,
                 std::uint32_t block_size) const;

  TimelineReader reader_a_, reader_b_;
  AxisUnit unit_ = AxisUnit::nanoseconds;
  TimeSpan both_{0, 1}, shown_{0, 1};
  std::uint32_t block_size_a_ = 16, block_size_b_ = 16;
  std::int64_t cursor_ = 0;
  std::optional<std::int64_t> divergence_;
  std::vector<TimelineColumn> a_, b_;
  std::vector<double> difference_;
  TimelineColumn cursor_a_, cursor_b_;
  QPixmap still_;
};

/// A run's letter in a square of its colour.
void draw_badge(QPainter& painter, const QRect& box, bool b, const Palette& palette);

}  // namespace vacancy::gui
