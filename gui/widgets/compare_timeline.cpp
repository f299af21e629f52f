// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/compare_timeline.hpp"

#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int letter_gutter = 40, side_width = 150;

std::uint64_t free_slots(const TimelineColumn& column) {
  return column.slots[index_of(BlockClass::free)] + column.slots[index_of(BlockClass::cached_free)];
}

double free_blocks(const TimelineColumn& column, std::uint32_t block_size) {
  return static_cast<double>(free_slots(column)) / block_size;
}

QString free_text(const TimelineColumn& column, std::uint32_t block_size) {
  return text_of(counted(free_slots(column) / block_size, "block"));
}

}  // namespace

void draw_badge(QPainter& painter, const QRect& box, bool b, const Palette& palette) {
  painter.save();
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(Qt::NoPen);
  painter.setBrush(QColor(b ? palette.run_b : palette.run_a));
  painter.drawRoundedRect(box, 3, 3);
  painter.setPen(QColor(palette.panel));
  painter.setFont(ui_font(box.height() * 0.62, true));
  painter.drawText(box, Qt::AlignCenter, b ? QStringLiteral("B") : QStringLiteral("A"));
  painter.restore();
}

CompareTimeline::CompareTimeline(QWidget* parent) : QWidget(parent) {
  setMinimumSize(300, 180);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("Timeline of both runs"));
}

void CompareTimeline::set_runs(TimelineReader a, TimelineReader b, TimeSpan both, AxisUnit unit,
                               std::uint32_t block_size_a, std::uint32_t block_size_b) {
  const bool whole = shown_ == both_ || unit != unit_;
  unit_ = unit;
  reader_a_ = std::move(a);
  reader_b_ = std::move(b);
  both_ = {both.from, std::max(both.to, both.from + 1)};
  shown_ = whole ? both_ : moved(shown_, 0, both_);
  block_size_a_ = block_size_a;
  block_size_b_ = block_size_b;
  read();
}

void CompareTimeline::clear() {
  reader_a_ = reader_b_ = nullptr;
  a_.clear();
  b_.clear();
  difference_.clear();
  read();
}

void CompareTimeline::set_cursor(std::int64_t place, const TimelineColumn& a,
                                 const TimelineColumn& b) {
  cursor_ = place;
  cursor_a_ = a;
  cursor_b_ = b;
  setAccessibleDescription(tr("Free and cached-free: A %1, B %2.")
                               .arg(free_text(a, block_size_a_), free_text(b, block_size_b_)));
  update();
}

void CompareTimeline::set_divergence(std::optional<std::int64_t> place) {
  divergence_ = place;
  update();
}

void CompareTimeline::show_all() {
  shown_ = both_;
  read();
}

CompareTimeline::Strips CompareTimeline::strips() const {
  const int wide = std::max(10, width() - letter_gutter - side_width);
  const int axis = 26, high = std::max(30, (height() - axis - 24) / 3);
  Strips s;
  s.axis = {letter_gutter, 0, wide, axis};
  s.a = {letter_gutter, axis, wide, high};
  s.b = {letter_gutter, axis + high + 8, wide, high};
  s.difference = {letter_gutter, axis + 2 * (high + 8), wide, high};
  return s;
}

TimeAxis CompareTimeline::axis() const {
  const QRect r = strips().a;
  return {shown_, r.left(), r.width()};
}

void CompareTimeline::read() {
  still_ = QPixmap();
  if (reader_a_ && reader_b_) {
    const int n = static_cast<int>(std::lround(strips().a.width() * devicePixelRatioF()));
    a_ = reader_a_(shown_, n);
    b_ = reader_b_(shown_, n);
    difference_.clear();
    for (std::size_t i = 0; i < a_.size() && i < b_.size(); ++i)
      difference_.push_back(a_[i].simulated && b_[i].simulated
                                ? free_blocks(b_[i], block_size_b_) -
                                      free_blocks(a_[i], block_size_a_)
                                : 0);
  }
  update();
}

void CompareTimeline::draw_still(QPainter& painter) const {
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  const Strips s = strips();
  paint_time_lines(painter, axis(), s.axis, s.difference.bottom(), p);
  paint_bands(painter, s.a, a_, p, devicePixelRatioF());
  paint_bands(painter, s.b, b_, p, devicePixelRatioF());
  draw_badge(painter, QRect(10, s.a.top(), 20, 20), false, p);
  draw_badge(painter, QRect(10, s.b.top(), 20, 20), true, p);
  painter.fillRect(s.difference, QColor(p.header));
  paint_difference(painter, s.difference, difference_, 1, p);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(11));
  painter.drawText(QRect(0, s.difference.top(), letter_gutter - 4, 18),
                   Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("B − A"));
  const QString caption = tr("free blocks, B − A (above the line: B has more)");
  // Away from the line of no difference.
  const bool curve_below = std::reduce(difference_.begin(), difference_.end(), 0.0) <= 0;
  const QRect place(s.difference.left() + 6,
                    curve_below ? s.difference.bottom() - 18 : s.difference.top() + 2,
                    QFontMetrics(painter.font()).horizontalAdvance(caption) + 8, 17);
  QColor ground(p.header);
  ground.setAlphaF(0.8F);
  painter.fillRect(place, ground);
  painter.drawText(place, Qt::AlignCenter, caption);
}

void CompareTimeline::draw_side(QPainter& painter, const QRect& strip, const TimelineColumn& column,
                                std::uint32_t block_size) const {
  const Palette& p = palette_of(application_theme());
  const std::uint64_t all =
      std::accumulate(column.slots.begin(), column.slots.end(), std::uint64_t{0});
  const QRect box(strip.right() + 14, strip.top() + 4, side_width - 18, 18);
  painter.setFont(ui_font(11.5));
  painter.setPen(QColor(p.ink_2));
  painter.drawText(box, Qt::AlignLeft, tr("free + cached-free"));
  painter.drawText(box.translated(0, 36), Qt::AlignLeft,
                   tr("%1 of the pool").arg(share_of(free_slots(column), all)));
  painter.setFont(ui_font(13.5, true));
  painter.setPen(QColor(p.ink));
  painter.drawText(box.translated(0, 17), Qt::AlignLeft, free_text(column, block_size));
}

void CompareTimeline::paintEvent(QPaintEvent*) {
  if (still_.isNull() || still_.devicePixelRatio() != devicePixelRatioF()) {
    still_ = QPixmap(size() * devicePixelRatioF());
    still_.setDevicePixelRatio(devicePixelRatioF());
    QPainter painter(&still_);
    draw_still(painter);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, still_);
  if (a_.empty()) return;
  const Palette& p = palette_of(application_theme());
  const Strips s = strips();
  const TimeAxis time = axis();
  const bool in_view = cursor_ >= shown_.from && cursor_ <= shown_.to;
  paint_time_labels(painter, time, s.axis, in_view ? std::optional(cursor_) : std::nullopt, unit_,
                    p);
  draw_side(painter, s.a, cursor_a_, block_size_a_);
  draw_side(painter, s.b, cursor_b_, block_size_b_);
  const auto gap = static_cast<std::int64_t>(
      std::llround(free_blocks(cursor_b_, block_size_b_) - free_blocks(cursor_a_, block_size_a_)));
  const QRect box(s.difference.right() + 14, s.difference.top() + 4, side_width - 18, 20);
  painter.setFont(ui_font(13.5, true));
  painter.setPen(QColor(p.ink));
  painter.drawText(box, Qt::AlignLeft,
                   gap == 0 ? tr("same") : tr("%1 in B").arg(text_of(difference(gap))));
  if (divergence_ && *divergence_ >= shown_.from && *divergence_ <= shown_.to) {
    const double x = time.x_of(*divergence_);
    QPen dashed(QColor(p.ink), 1);
    dashed.setDashPattern({3, 3});
    painter.setPen(dashed);
    painter.drawLine(QPointF(x, s.a.top()), QPointF(x, s.difference.bottom()));
    draw_glyph(painter, Glyph::divergence, {x, s.axis.bottom() - 3.0}, 10, p);
  }
  if (in_view)
    paint_cursor(painter, time.x_of(cursor_), 0, s.difference.bottom() + 1,
                 text_of(place_label(cursor_, unit_)), 0, s.a.right() + 20, p);
}

void CompareTimeline::resizeEvent(QResizeEvent*) {
  read();
}

void CompareTimeline::wheelEvent(QWheelEvent* event) {
  const int by = event->angleDelta().y();
  if ((event->modifiers() & Qt::ShiftModifier) != 0)
    shown_ = moved(shown_, by > 0 ? -shown_.length() / 10 : shown_.length() / 10, both_);
  else
    shown_ =
        zoomed(shown_, std::pow(0.7, by / 120.0), axis().time_at(event->position().x()), both_);
  read();
  event->accept();
}

void CompareTimeline::mousePressEvent(QMouseEvent* event) {
  Q_EMIT moved_to(std::clamp(axis().time_at(event->position().x()), both_.from, both_.to));
}

void CompareTimeline::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) mousePressEvent(event);
}

void CompareTimeline::mouseDoubleClickEvent(QMouseEvent*) {
  show_all();
}

void CompareTimeline::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) {
    still_ = QPixmap();
    update();
  }
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_compare_timeline.cpp"
