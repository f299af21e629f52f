// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/timeline_painter.hpp"

#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gui/model/number_format.hpp"
#include "gui/paint/canvas.hpp"
#include "gui/paint/fonts.hpp"

namespace vacancy::gui {
namespace {

constexpr std::array<BlockClass, 6> stacked = {BlockClass::live,   BlockClass::shared,
                                               BlockClass::pinned, BlockClass::hole,
                                               BlockClass::tail,   BlockClass::cached_free};

constexpr double tick_distance = 76;

/// A column of a picture with fewer or more columns than there are.
std::size_t column_at(int x, int width, std::size_t columns) {
  return std::min(columns - 1, static_cast<std::size_t>(x) * columns /
                                   static_cast<std::size_t>(std::max(1, width)));
}

void draw_stack(Canvas& canvas, int x, int height, const TimelineColumn& column,
                const std::array<Hatch, block_classes>& hatches) {
  const std::uint64_t all =
      std::accumulate(column.slots.begin(), column.slots.end(), std::uint64_t{0});
  if (all == 0) return;
  std::uint64_t below = 0;
  int y = height;
  for (const BlockClass c : stacked) {
    below += column.slots[index_of(c)];
    const int top =
        height - static_cast<int>((below * static_cast<std::uint64_t>(height) + all / 2) / all);
    const bool textured = c == BlockClass::hole || c == BlockClass::cached_free;
    const QRect part(x, top, 1, y - top);
    if (textured)
      canvas.fill(part, hatches[index_of(c)]);
    else
      canvas.fill(part, hatches[index_of(c)].ground());
    y = top;
  }
}

double x_in(const QRect& area, std::size_t column, std::size_t columns) {
  return area.left() +
         (static_cast<double>(column) + 0.5) * area.width() / static_cast<double>(columns);
}

/// Below a column: lines of three heights, and above them a triangle.
void paint_tick(QPainter& painter, Glyph glyph, double x, const QRect& strip, double wide,
                const Palette& palette) {
  if (glyph == Glyph::preempt)
    return draw_glyph(painter, glyph, {x, strip.top() + 4.0}, 7, palette);
  const bool reclaim = glyph == Glyph::reclaim, evict = glyph == Glyph::evict;
  const double high = strip.height() * (reclaim ? 1 : evict ? 0.5 : 0.25);
  const QRgb ink = reclaim ? palette.ink : evict ? palette.hatch(BlockClass::hole) : palette.ink_3;
  painter.fillRect(QRectF(x - wide / 2, strip.bottom() + 1 - high, wide, high), QColor(ink));
}

}  // namespace

void paint_bands(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& columns,
                 const Palette& palette, double scale) {
  if (columns.empty() || area.isEmpty()) return;
  const QSize device(static_cast<int>(std::lround(area.width() * scale)),
                     static_cast<int>(std::lround(area.height() * scale)));
  QImage image(device, QImage::Format_RGB32);
  image.fill(palette.of(BlockClass::free));
  std::array<Hatch, block_classes> hatches;
  for (const BlockClass c : all_block_classes)
    hatches[index_of(c)] = Hatch(palette, c, scale);
  Canvas canvas(image, QPoint(0, 0));
  int simulated_to = device.width();
  for (int x = 0; x < device.width(); ++x) {
    const TimelineColumn& column = columns[column_at(x, device.width(), columns.size())];
    if (column.simulated)
      draw_stack(canvas, x, device.height(), column, hatches);
    else
      simulated_to = std::min(simulated_to, x);
  }
  image.setDevicePixelRatio(scale);
  painter.drawImage(area.topLeft(), image);
  if (simulated_to < device.width()) {
    const QRectF rest(area.left() + simulated_to / scale, area.top(),
                      area.width() - simulated_to / scale, area.height());
    painter.fillRect(rest, QColor(palette.panel));
    painter.fillRect(rest, unknown_brush(palette, scale));
    painter.setFont(ui_font(12));
    painter.setPen(QColor(palette.ink_3));
    const QString words = QStringLiteral("not simulated");
    if (rest.width() > QFontMetrics(painter.font()).horizontalAdvance(words) + 16)
      painter.drawText(rest.adjusted(8, 4, 0, 0), Qt::AlignLeft | Qt::AlignTop, words);
  }
}

void paint_promise(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& columns,
                   std::uint64_t most, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  const QRectF r(area);
  const auto y_of = [&](std::uint64_t tokens) {
    return r.bottom() - 1 -
           static_cast<double>(tokens) * (r.height() - 2) /
               static_cast<double>(std::max<std::uint64_t>(1, most));
  };
  QPolygonF promised, returned;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!columns[i].simulated) continue;
    const double x = x_in(area, i, columns.size());
    promised.append({x, y_of(columns[i].promised)});
    returned.append({x, y_of(columns[i].returned)});
  }
  painter.setPen(QPen(QColor(palette.rule), 1));
  painter.drawLine(QPointF(area.left(), r.bottom() - 0.5), QPointF(area.right(), r.bottom() - 0.5));
  if (promised.size() > 1) {
    // What was promised and did not come back.
    QPainterPath gap;
    gap.addPolygon(promised);
    for (auto p = returned.rbegin(); p != returned.rend(); ++p)
      gap.lineTo(*p);
    painter.fillPath(gap, unknown_brush(palette, painter.device()->devicePixelRatioF()));
    QPen dashed(QColor(palette.ink_2), 1.4);
    dashed.setDashPattern({3, 2});
    painter.setPen(dashed);
    painter.drawPolyline(promised);
    painter.setPen(QPen(QColor(palette.ink), 1.8));
    painter.drawPolyline(returned);
  }
  painter.restore();
}

void paint_event_ticks(QPainter& painter, const QRect& area,
                       const std::vector<TimelineColumn>& columns, const Palette& palette) {
  double last_preemption = -1e9;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    bool has_line = false;
    const double x = x_in(area, i, columns.size());
    for (const TickKind& kind : tick_kinds) {
      if ((columns[i].glyphs & bit_of(kind.glyph)) == 0) continue;
      if (kind.glyph == Glyph::preempt) {
        if (x - last_preemption < 4) continue;
        last_preemption = x;
      } else if (std::exchange(has_line, true)) {
        continue;
      }
      paint_tick(painter, kind.glyph, x, area, 1, palette);
    }
  }
}

void paint_tick_key(QPainter& painter, QPoint at, const Palette& palette) {
  const int row_high = tick_key_size.height() / 2, second_column = 58;
  painter.setFont(ui_font(10.5));
  for (std::size_t i = 0; i < tick_kinds.size(); ++i) {
    const int x = at.x() + (i % 2 == 0 ? 0 : second_column);
    const QRect row(x, at.y() + static_cast<int>(i / 2) * row_high, tick_key_size.width(),
                    row_high);
    paint_tick(painter, tick_kinds[i].glyph, x + 4, row.adjusted(0, 2, 0, -1), 2, palette);
    painter.setPen(QColor(palette.ink_2));
    painter.drawText(row.adjusted(10, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     QLatin1String(tick_kinds[i].name));
  }
}

void paint_time_lines(QPainter& painter, const TimeAxis& axis, const QRect& strip, int down_to,
                      const Palette& palette) {
  for (const std::int64_t t : axis.ticks(tick_distance)) {
    const double x = axis.x_of(t);
    painter.fillRect(QRectF(x, strip.bottom() - 2, 1, 3), QColor(palette.field_border));
    painter.fillRect(QRectF(x, strip.bottom() + 1, 1, down_to - strip.bottom() - 1),
                     QColor(palette.grid_line));
  }
}

void paint_time_labels(QPainter& painter, const TimeAxis& axis, const QRect& strip,
                       std::optional<std::int64_t> cursor, AxisUnit unit, const Palette& palette) {
  painter.setFont(ui_font(11));
  painter.setPen(QColor(palette.ink_2));
  const std::int64_t step = axis.tick_step(tick_distance);
  for (const std::int64_t t : axis.ticks(tick_distance)) {
    const double x = axis.x_of(t);
    if (cursor && std::abs(axis.x_of(*cursor) - x) < tick_distance - 8) continue;
    const bool first = x - tick_distance / 2 < strip.left() - 12.0;
    const bool last = x + tick_distance / 2 > strip.right() + 12.0;
    const double left = first ? x : last ? x - tick_distance : x - tick_distance / 2;
    const Qt::Alignment side = first ? Qt::AlignLeft : last ? Qt::AlignRight : Qt::AlignHCenter;
    painter.drawText(
        QRectF(left, strip.top(), tick_distance, strip.height() - 4),
        static_cast<int>(side | Qt::AlignVCenter),
        QString::fromStdString(unit == AxisUnit::events ? number(t) : time_label(t, step)));
  }
}

void paint_minimap(QPainter& painter, const QRect& area, const std::vector<TimelineColumn>& whole,
                   TimeSpan run, TimeSpan shown, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing, false);
  painter.fillRect(area, QColor(palette.header));
  // What is held, and the holes in it: the shape by which one finds one's way.
  QPolygonF held({QPointF(area.left(), area.bottom() + 1)}), live = held;
  double last_x = area.left();
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (!whole[i].simulated) continue;
    const auto& s = whole[i].slots;
    const std::uint64_t all = std::accumulate(s.begin(), s.end(), std::uint64_t{0});
    const std::uint64_t living = s[index_of(BlockClass::live)] + s[index_of(BlockClass::shared)] +
                                 s[index_of(BlockClass::pinned)];
    const auto y_of = [&](std::uint64_t part) {
      const double share = all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
      return area.bottom() + 1 - share * (area.height() - 3);
    };
    last_x = x_in(area, i, whole.size());
    live.append({last_x, y_of(living)});
    held.append({last_x, y_of(living + s[index_of(BlockClass::hole)])});
  }
  painter.setPen(Qt::NoPen);
  for (const auto& [shape, c] :
       {std::pair(held, BlockClass::hole), std::pair(live, BlockClass::live)}) {
    QPolygonF closed = shape;
    closed.append({last_x, static_cast<double>(area.bottom() + 1)});
    painter.setBrush(QColor(mix(palette.panel, palette.of(c), c == BlockClass::hole ? 0.75 : 0.5)));
    painter.drawPolygon(closed);
  }
  const TimeAxis axis(run, area.left(), area.width());
  const QRectF frame(QPointF(axis.x_of(shown.from), area.top() + 0.5),
                     QPointF(axis.x_of(shown.to), area.bottom() + 0.5));
  QColor veil(palette.panel);
  veil.setAlphaF(0.65F);
  painter.fillRect(QRectF(area.topLeft(), QPointF(frame.left(), area.bottom() + 1)), veil);
  painter.fillRect(
      QRectF(frame.right(), area.top(), area.right() + 1 - frame.right(), area.height()), veil);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(QColor(palette.accent), 1.4));
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(frame);
  painter.setBrush(QColor(palette.panel));
  for (const double x : {frame.left(), frame.right()})
    painter.drawRoundedRect(QRectF(x - 3, frame.center().y() - 5, 6, 10), 2, 2);
  painter.restore();
}

void paint_cursor(QPainter& painter, double x, int top, int bottom, const QString& flag,
                  int least_x, int most_x, const Palette& palette) {
  painter.save();
  painter.setFont(ui_font(11, true));
  const double wide = QFontMetrics(painter.font()).horizontalAdvance(flag) + 14;
  const double left = std::clamp(x - wide / 2, static_cast<double>(least_x),
                                 std::max<double>(least_x, most_x - wide));
  const QRectF box(left, top + 3, wide, 17);
  painter.fillRect(QRectF(x - 1.5, box.bottom(), 3, bottom - box.bottom()), QColor(palette.halo));
  painter.fillRect(QRectF(x - 0.5, box.bottom(), 1, bottom - box.bottom()), QColor(palette.ink));
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(QColor(palette.ink));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(QColor(palette.panel));
  painter.drawText(box, Qt::AlignCenter, flag);
  painter.restore();
}

void paint_difference(QPainter& painter, const QRect& area, const std::vector<double>& b_minus_a,
                      double most, const Palette& palette) {
  if (b_minus_a.empty()) return;
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  double low = 0, high = 0;
  for (const double v : b_minus_a) {
    low = std::min(low, v);
    high = std::max(high, v);
  }
  const double reach = std::max({most, high - low, 1.0});
  const auto y_of = [&](double v) {
    return area.top() + 2 + (std::max(high, low + reach) - v) * (area.height() - 4) / reach;
  };
  const double zero = y_of(0);
  for (const bool above : {true, false}) {
    QPolygonF shape({QPointF(area.left(), zero)});
    double x = area.left();
    for (std::size_t i = 0; i < b_minus_a.size(); ++i) {
      x = x_in(area, i, b_minus_a.size());
      shape.append({x, y_of(above ? std::max(0.0, b_minus_a[i]) : std::min(0.0, b_minus_a[i]))});
    }
    shape.append({x, zero});
    const QRgb colour = above ? palette.run_b : palette.run_a;
    painter.setPen(QPen(QColor(colour), 1.2));
    painter.setBrush(QColor(mix(palette.panel, colour, 0.4)));
    painter.drawPolygon(shape);
  }
  painter.setPen(QPen(QColor(palette.field_border), 1));
  painter.drawLine(QPointF(area.left(), zero), QPointF(area.right() + 1, zero));
  painter.restore();
}

std::string time_label(std::int64_t t, std::int64_t step) {
  int decimals = 0;
  for (std::int64_t unit = 1'000'000'000; unit > 1 && step % unit != 0; unit /= 10)
    ++decimals;
  return decimal(static_cast<double>(t) / 1e9, decimals) + "\u00A0s";
}

std::string place_label(std::int64_t place, AxisUnit unit) {
  return unit == AxisUnit::events ? "event\u00A0" + number(place) : seconds(place);
}

}  // namespace vacancy::gui
