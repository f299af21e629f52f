// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QRect>
#include <QSize>
#include <cstdint>
#include <vector>

namespace vacancy::gui {

/// What an axis counts: virtual time, or where all of a run is one instant of it, its events.
enum class AxisUnit : std::uint8_t { nanoseconds, events };

/// Nanoseconds of virtual time, or events on an axis of events.
struct TimeSpan {
  std::int64_t from = 0, to = 1;

  std::int64_t length() const { return to - from; }
  bool operator==(const TimeSpan&) const = default;
};

/// Where time is: a plot between two margins, which are those of the map above it. Logical pixels.
class TimeAxis {
 public:
  TimeAxis() = default;
  TimeAxis(TimeSpan span, int left, int width);

  TimeSpan span() const { return span_; }
  int left() const { return left_; }
  int width() const { return width_; }
  int right() const { return left_ + width_; }

  double x_of(std::int64_t t) const;
  std::int64_t time_at(double x) const;
  /// Of a round number of nanoseconds, at least `pixels` apart.
  std::int64_t tick_step(double pixels) const;
  /// The multiples of the step in the span.
  std::vector<std::int64_t> ticks(double pixels) const;

 private:
  TimeSpan span_;
  int left_ = 0, width_ = 1;
};

/// The part of a span that remains when one zooms by a factor (below 1: in) around a time, inside
/// `whole` and not below a nanosecond a hundredth of it.
TimeSpan zoomed(TimeSpan span, double factor, std::int64_t around, TimeSpan whole);
/// As long as before, moved by so much, inside `whole`.
TimeSpan moved(TimeSpan span, std::int64_t by, TimeSpan whole);

/// The strips of a timeline, from above.
struct TimelineStrips {
  QRect axis, bands, promise, events, minimap;
};
/// `margins`: gutter and legend, as the map's.
TimelineStrips timeline_strips(QSize size, int gutter, int legend);

}  // namespace vacancy::gui
