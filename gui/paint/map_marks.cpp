// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/map_marks.hpp"

#include <QPainterPath>
#include <algorithm>
#include <cmath>

#include "gui/model/number_format.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/slot_grid.hpp"

namespace vacancy::gui {
namespace {

class Marker {
 public:
  Marker(QPainter& painter, const MapLayout& layout, const Palette& palette)
      : painter_(painter), layout_(layout), palette_(palette) {}

  /// A block's cell, if it is in view.
  std::optional<QRect> frame(std::uint32_t block) const {
    if (block >= layout_.blocks()) return std::nullopt;
    const QRect cell = layout_.cell(block).adjusted(0, 0, -layout_.gap(), -layout_.gap());
    const QRect view = QRect(QPoint(0, 0), layout_.view()).adjusted(-8, -8, 8, 8);
    return view.intersects(cell) ? std::optional(cell) : std::nullopt;
  }
  std::optional<QRect> slot(const SlotPlace& place, std::uint32_t block_size) const {
    const auto cell = frame(place.block);
    if (!cell || layout_.level() < MapLevel::slots) return cell;
    return SlotGrid(layout_, layout_.cell(place.block), block_size).slot(place.slot);
  }
  /// An outline `width` wide around `r`, on the outside.
  void outline(const QRect& r, double width, QRgb colour, double distance = 0) {
    const double w = width * layout_.scale(), d = distance * layout_.scale() + w / 2;
    painter_.setPen(QPen(QColor(colour), w, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter_.setBrush(Qt::NoBrush);
    painter_.drawRect(QRectF(r).adjusted(-d, -d, d, d));
  }
  void thin(std::uint32_t block, QRgb colour) {
    const auto cell = frame(block);
    if (!cell) return;
    if (layout_.zoom().pitch < 4)
      painter_.fillRect(*cell, QColor(colour));  // no room for an outline
    else
      outline(*cell, 1, colour);
  }
  void selected(std::uint32_t block) {
    const auto cell = frame(block);
    if (!cell) return;
    const bool large = layout_.level() >= MapLevel::slots;
    outline(*cell, large ? 2 : 1, palette_.halo);
    outline(*cell, large ? 3 : 2, palette_.ink, large ? 2 : 1);
  }
  void move(const MoveMark& m, std::uint32_t block_size, bool curve) {
    const auto from = slot(m.from, block_size), to = slot(m.to, block_size);
    if (from) outline(*from, 1.5, palette_.ink);
    if (to) {
      const double s = layout_.scale();
      painter_.setPen(QPen(QColor(palette_.ink), 1.5 * s, Qt::CustomDashLine));
      QPen pen = painter_.pen();
      pen.setDashPattern({2, 2});
      painter_.setPen(pen);
      painter_.drawRect(QRectF(*to));
    }
    if (!curve || !from || !to) return;
    const double s = layout_.scale();
    const QPointF a = QRectF(*from).center(), b = QRectF(*to).center();
    const QPointF along = b - a;
    const double length = std::hypot(along.x(), along.y());
    if (length < 1) return;
    // Bowed upwards, so that moves there and back do not lie on each other.
    const QPointF bow = (a + b) / 2 + QPointF(0, -0.25 * length);
    QPainterPath path(a);
    path.quadTo(bow, b);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(QColor(palette_.halo), 5 * s, Qt::SolidLine, Qt::RoundCap));
    painter_.drawPath(path);
    painter_.setPen(QPen(QColor(palette_.ink), 1.8 * s, Qt::SolidLine, Qt::RoundCap));
    painter_.drawPath(path);
    const QPointF end = b - bow;
    const double end_length = std::max(1e-9, std::hypot(end.x(), end.y()));
    const QPointF e = end / end_length, n(-e.y(), e.x());
    painter_.setPen(Qt::NoPen);
    painter_.setBrush(QColor(palette_.ink));
    painter_.drawPolygon(QPolygonF({b, b - e * 8 * s + n * 4 * s, b - e * 8 * s - n * 4 * s}));
  }
  void hovered(const QRect& r) { outline(r, 2, palette_.accent); }
  void focus(std::uint32_t block) {
    const auto cell = frame(block);
    if (!cell) return;
    const double s = layout_.scale();
    QPen pen(QColor(palette_.ink), s);
    painter_.setBrush(Qt::NoBrush);
    painter_.setPen(QPen(QColor(palette_.halo), s));
    painter_.drawRect(QRectF(*cell).adjusted(-2.5 * s, -2.5 * s, 2.5 * s, 2.5 * s));
    pen.setDashPattern({2, 2});
    painter_.setPen(pen);
    painter_.drawRect(QRectF(*cell).adjusted(-2.5 * s, -2.5 * s, 2.5 * s, 2.5 * s));
  }

 private:
  QPainter& painter_;
  const MapLayout& layout_;
  const Palette& palette_;
};

}  // namespace

void paint_marks(QPainter& painter, const MapLayout& layout, const MapMarks& marks,
                 const Palette& palette) {
  painter.save();
  Marker marker(painter, layout, palette);
  for (const std::uint32_t block : marks.sequence)
    marker.thin(block, palette.ink);
  for (const std::uint32_t block : marks.changed)
    if (const auto cell = marker.frame(block)) marker.outline(*cell, 1.5, palette.accent);
  for (const std::uint32_t block : marks.selected)
    marker.selected(block);
  painter.setRenderHint(QPainter::Antialiasing);
  for (const MoveMark& move : marks.moves)
    marker.move(move, marks.block_size, marks.moves.size() <= most_curves);
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (marks.focus) marker.focus(*marks.focus);
  if (marks.hovered) {
    const auto cell = marks.hovered_slot
                          ? marker.slot({*marks.hovered, *marks.hovered_slot}, marks.block_size)
                          : marker.frame(*marks.hovered);
    if (cell) marker.hovered(*cell);
  }
  painter.restore();
}

void paint_addresses(QPainter& painter, const MapLayout& layout, int width,
                     const Palette& palette) {
  painter.save();
  const double scale = layout.scale();
  painter.setFont(ui_font(11 * scale));
  painter.setPen(QColor(palette.ink_3));
  std::uint32_t every = 1;
  while (every * static_cast<std::uint32_t>(layout.pitch()) < 40 * scale)
    every *= 2;
  const int high = static_cast<int>(std::lround(16 * scale));
  const int pad = static_cast<int>(std::lround(8 * scale));
  std::uint32_t since_lane = 0;
  std::uint32_t before = 0;  // blocks of the row above: 0 where a lane begins
  const MapLayout::Range rows = layout.visible_rows();
  for (std::uint32_t r = 0; r < rows.last; ++r) {
    const MapLayout::Row row = layout.row(r);
    since_lane = before == 0 ? 0 : since_lane + 1;
    before = row.count;
    if (row.count == 0 || since_lane % every != 0 || r < rows.first) continue;
    const QRect cell = layout.cell(row.first);
    const int at = layout.pitch() >= high ? cell.top() : cell.center().y() - high / 2;
    painter.drawText(QRect(0, std::max(0, at), width - pad, high),
                     Qt::AlignRight | Qt::AlignVCenter, QString::fromStdString(number(row.first)));
  }
  painter.restore();
}

}  // namespace vacancy::gui
