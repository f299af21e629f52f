// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/timeline_layout.hpp"

#include <algorithm>
#include <cmath>

namespace vacancy::gui {
namespace {

constexpr std::int64_t shortest_span = 100;  // nanoseconds

}  // namespace

TimeAxis::TimeAxis(TimeSpan span, int left, int width)
    : span_(span), left_(left), width_(std::max(1, width)) {
  if (span_.to <= span_.from) span_.to = span_.from + 1;
}

double TimeAxis::x_of(std::int64_t t) const {
  return left_ + static_cast<double>(t - span_.from) * width_ / static_cast<double>(span_.length());
}

std::int64_t TimeAxis::time_at(double x) const {
  return span_.from + std::llround((x - left_) * static_cast<double>(span_.length()) / width_);
}

std::int64_t TimeAxis::tick_step(double pixels) const {
  const double least = static_cast<double>(span_.length()) * pixels / width_;
  std::int64_t step = 1;
  while (static_cast<double>(step) < least && step < INT64_MAX / 10) {
    for (const std::int64_t times : {2, 5})
      if (static_cast<double>(step * times) >= least) return step * times;
    step *= 10;
  }
  return step;
}

std::vector<std::int64_t> TimeAxis::ticks(double pixels) const {
  const std::int64_t step = tick_step(pixels);
  std::vector<std::int64_t> result;
  for (std::int64_t t = (span_.from + step - 1) / step * step; t <= span_.to; t += step)
    result.push_back(t);
  return result;
}

TimeSpan moved(TimeSpan span, std::int64_t by, TimeSpan whole) {
  const std::int64_t length = std::min(span.length(), whole.length());
  const std::int64_t from = std::clamp(span.from + by, whole.from, whole.to - length);
  return {from, from + length};
}

TimeSpan zoomed(TimeSpan span, double factor, std::int64_t around, TimeSpan whole) {
  const std::int64_t shortest = std::min(shortest_span, whole.length());
  const std::int64_t length =
      std::clamp(std::llround(static_cast<double>(span.length()) * factor),
                 static_cast<long long>(shortest), static_cast<long long>(whole.length()));
  // What is under the pointer stays there.
  const double place = static_cast<double>(around - span.from) / static_cast<double>(span.length());
  const std::int64_t from = around - std::llround(place * static_cast<double>(length));
  return moved({from, from + length}, 0, whole);
}

TimelineStrips timeline_strips(QSize size, int gutter, int legend) {
  const int width = std::max(10, size.width() - gutter - legend);
  TimelineStrips s;
  constexpr int axis = 26, promise = 36, events = 18, minimap = 18, gap = 6;
  const int bands = std::max(20, size.height() - axis - promise - events - minimap - 3 * gap - 6);
  int y = 0;
  s.axis = {gutter, y, width, axis};
  y += axis;
  s.bands = {gutter, y, width, bands};
  y += bands + gap;
  s.promise = {gutter, y, width, promise};
  y += promise + gap;
  s.events = {gutter, y, width, events - 4};
  y += events;
  s.minimap = {gutter, y, width, minimap};
  return s;
}

}  // namespace vacancy::gui
