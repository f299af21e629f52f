// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/timeline_view.hpp"

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/widgets/map_view.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

std::uint64_t all_slots(const TimelineColumn& c) {
  return std::accumulate(c.slots.begin(), c.slots.end(), std::uint64_t{0});
}
std::uint64_t slots_of(const TimelineColumn& c, BlockClass k) {
  return c.slots[index_of(k)];
}
std::uint64_t live_slots(const TimelineColumn& c) {
  return slots_of(c, BlockClass::live) + slots_of(c, BlockClass::shared) +
         slots_of(c, BlockClass::pinned);
}

}  // namespace

TimelineView::TimelineView(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setMinimumSize(240, 150);
  setAttribute(Qt::WA_OpaquePaintEvent);
  setAccessibleName(tr("Timeline"));
}

void TimelineView::set_run(TimelineReader reader, TimeSpan run, AxisUnit unit, std::uint64_t events,
                           std::uint32_t block_size) {
  reader_ = std::move(reader);
  run_ = {run.from, std::max(run.to, run.from + 1)};
  events_ = events;
  block_size_ = block_size;
  shown_ = follows_ || unit != unit_ ? run_ : moved(shown_, 0, run_);
  unit_ = unit;
  setAccessibleDescription(unit_ == AxisUnit::events
                               ? tr("All of the run is one instant of virtual time; the axis "
                                    "counts its events.")
                               : QString());
  read();
}

void TimelineView::clear() {
  reader_ = nullptr;
  run_ = shown_ = {0, 1};
  follows_ = true;
  events_ = 0;
  columns_.clear();
  whole_.clear();
  divergence_.reset();
  brushed_.reset();
  still_ = QPixmap();
  update();
}

void TimelineView::set_cursor(std::int64_t place, std::int64_t time_ns,
                              const TimelineColumn& there) {
  cursor_ = place;
  cursor_ns_ = time_ns;
  cursor_column_ = there;
  update();
}

void TimelineView::set_divergence(std::optional<std::int64_t> time_ns) {
  divergence_ = time_ns;
  update();
}

TimelineStrips TimelineView::strips() const {
  return timeline_strips(size(), map_gutter, legend_gap + legend_width);
}

TimeAxis TimelineView::axis() const {
  const QRect r = strips().bands;
  return {shown_, r.left(), r.width()};
}

void TimelineView::read() {
  still_ = QPixmap();
  if (reader_) {
    const int wide = strips().bands.width();
    const int device = static_cast<int>(std::lround(wide * devicePixelRatioF()));
    columns_ = reader_(shown_, device);
    whole_ = shown_ == run_ ? columns_ : reader_(run_, wide);
  }
  update();
}

void TimelineView::show_span(TimeSpan span) {
  span = moved(span, 0, run_);
  follows_ = span == run_;
  if (span == shown_) return;
  shown_ = span;
  read();
  Q_EMIT span_changed(shown_);
}

void TimelineView::zoom_in() {
  show_span(zoomed(shown_, 0.5, cursor_, run_));
}

void TimelineView::zoom_out() {
  show_span(zoomed(shown_, 2, cursor_, run_));
}

void TimelineView::show_all() {
  show_span(run_);
}

void TimelineView::show_brushed() {
  if (!brushed_) return;
  const TimeSpan span = *brushed_;
  clear_brush();
  show_span(span);
}

void TimelineView::clear_brush() {
  if (!brushed_) return;
  brushed_.reset();
  Q_EMIT brush_changed();
  update();
}

void TimelineView::draw_still(QPainter& painter) const {
  const Palette& p = palette_of(application_theme());
  const double scale = devicePixelRatioF();
  painter.fillRect(rect(), QColor(p.panel));
  const TimelineStrips s = strips();
  paint_time_lines(painter, axis(), s.axis, s.events.bottom() + 1, p);
  if (columns_.empty()) {
    painter.fillRect(s.bands, QColor(p.of(BlockClass::free)));
    return;
  }
  paint_bands(painter, s.bands, columns_, p, scale);
  painter.setFont(ui_font(11));
  painter.setPen(QColor(p.ink_3));
  const auto gutter = [&](int y, const QString& text) {
    painter.drawText(QRect(0, y - 8, map_gutter - 8, 16), Qt::AlignRight | Qt::AlignVCenter, text);
  };
  gutter(s.bands.top() + 6, QStringLiteral("100\u00A0%"));
  gutter(s.bands.center().y(), QStringLiteral("50\u00A0%"));
  gutter(s.bands.bottom() - 4, QStringLiteral("0"));
  gutter(s.events.center().y(), tr("events"));
  if (unit_ == AxisUnit::events) gutter(s.axis.center().y() - 2, tr("event"));
  std::uint64_t most = 0;
  for (const TimelineColumn& c : whole_)
    most = std::max({most, c.promised, c.returned});
  paint_promise(painter, s.promise, columns_, most, p);
  painter.setFont(ui_font(11));
  const QString words =
      tr("promised: tokens evicted (dashed)  ·  returned: blocks freed × %1 (solid)")
          .arg(block_size_);
  const QString brief = tr("promised (dashed) · returned (solid), tokens");
  const QFontMetrics metrics(painter.font());
  const QString& caption = metrics.horizontalAdvance(words) < s.promise.width() / 2 ? words : brief;
  // At the side where the curves are low, so that they do not cross it.
  const bool early = most > 0 && columns_[columns_.size() / 2].promised * 5 > most * 4;
  const int wide = metrics.horizontalAdvance(caption) + 4;
  painter.setPen(QColor(p.ink_2));
  painter.drawText(early ? QRect(s.promise.right() - wide - 6, s.promise.bottom() - 19, wide, 16)
                         : QRect(s.promise.left() + 6, s.promise.top(), wide, 16),
                   Qt::AlignLeft | Qt::AlignVCenter, caption);
  paint_event_ticks(painter, s.events, columns_, p);
  paint_minimap(painter, s.minimap, whole_, run_, shown_, p);
}

void TimelineView::draw_legend(QPainter& painter) const {
  const Palette& p = palette_of(application_theme());
  const TimelineStrips s = strips();
  const int left = s.bands.right() + 1 + legend_gap, wide = legend_width - 12;
  const auto line = [&](int y, const QString& name, const QString& value, bool bold) {
    const QRect r(left, y, wide, 16);
    painter.setFont(ui_font(11.5));
    painter.setPen(QColor(p.ink_2));
    painter.drawText(r, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(ui_font(11.5, bold));
    painter.setPen(QColor(p.ink));
    painter.drawText(r, Qt::AlignRight | Qt::AlignVCenter, value);
  };
  const auto swatch = [&](int y, BlockClass c) {
    const QRect r(left, y + 3, 10, 10);
    painter.setBrushOrigin(r.topLeft());
    painter.fillRect(r, Hatch(p, c, devicePixelRatioF()).brush());
    if (c == BlockClass::free) {
      painter.setPen(QColor(p.field_border));
      painter.drawRect(r.adjusted(0, 0, -1, -1));
    }
  };
  const std::uint64_t all = all_slots(cursor_column_);
  if (unit_ == AxisUnit::events) {
    painter.setFont(ui_font(11));
    painter.setPen(QColor(p.ink_2));
    painter.drawText(QRect(left, s.axis.top(), wide + 12, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     tr("all at %1").arg(text_of(seconds(cursor_ns_))));
  }
  int y = s.bands.top() - 4;
  painter.setFont(ui_font(11));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(QRect(left, y, wide, 16), Qt::AlignLeft | Qt::AlignVCenter, tr("at the cursor"));
  const std::pair<BlockClass, std::uint64_t> rows[] = {
      {BlockClass::free, slots_of(cursor_column_, BlockClass::free)},
      {BlockClass::cached_free, slots_of(cursor_column_, BlockClass::cached_free)},
      {BlockClass::hole, slots_of(cursor_column_, BlockClass::hole)},
      {BlockClass::live, live_slots(cursor_column_)}};
  for (const auto& [c, slots] : rows) {
    if (c == BlockClass::cached_free && s.bands.height() < 78) continue;
    y += 16;
    swatch(y, c);
    const QString name = c == BlockClass::live          ? tr("Live, all")
                         : c == BlockClass::cached_free ? tr("Cached-free")
                         : c == BlockClass::hole        ? tr("Hole")
                                                        : tr("Free");
    painter.save();
    painter.translate(16, 0);
    const QRect r(left, y, wide - 16, 16);
    painter.setFont(ui_font(11.5));
    painter.setPen(QColor(p.ink_2));
    painter.drawText(r, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setPen(QColor(p.ink));
    painter.drawText(r, Qt::AlignRight | Qt::AlignVCenter, share_of(slots, all));
    painter.restore();
  }
  y = s.promise.top() + 1;
  line(y, tr("promised"), grouped(cursor_column_.promised), false);
  line(y + 16, tr("returned"), grouped(cursor_column_.returned), true);
  paint_tick_key(painter, tick_key().topLeft(), p);
  painter.setFont(ui_font(10.5));
  painter.setPen(QColor(p.ink_3));
  const QString count = text_of(counted(events_, "event"));
  painter.drawText(QRect(left, s.minimap.center().y() - 8, wide + 10, 16),
                   Qt::AlignLeft | Qt::AlignVCenter, tr("run: %1").arg(count));
}

void TimelineView::paintEvent(QPaintEvent*) {
  if (still_.isNull() || still_.devicePixelRatio() != devicePixelRatioF()) {
    still_ = QPixmap(size() * devicePixelRatioF());
    still_.setDevicePixelRatio(devicePixelRatioF());
    QPainter painter(&still_);
    draw_still(painter);
  }
  QPainter p(this);
  p.drawPixmap(0, 0, still_);
  const Palette& colours = palette_of(application_theme());
  const TimelineStrips s = strips();
  const TimeAxis a = axis();
  const bool in_view = cursor_ >= shown_.from && cursor_ <= shown_.to;
  if (columns_.empty()) return;
  paint_time_labels(p, a, s.axis, in_view ? std::optional(cursor_) : std::nullopt, unit_, colours);
  draw_legend(p);
  if (brushed_) {
    QColor tint(colours.accent);
    tint.setAlphaF(0.18F);
    const QRectF r(QPointF(a.x_of(brushed_->from), s.bands.top()),
                   QPointF(a.x_of(brushed_->to), s.events.bottom() + 1));
    p.fillRect(r & QRectF(s.bands.left(), 0, s.bands.width(), height()), tint);
    p.setPen(QColor(colours.accent));
    for (const double x : {r.left(), r.right()})
      p.drawLine(QPointF(x, r.top()), QPointF(x, r.bottom()));
  }
  if (divergence_ && *divergence_ >= shown_.from && *divergence_ <= shown_.to) {
    const double x = a.x_of(*divergence_);
    QPen dashed(QColor(colours.ink), 1);
    dashed.setDashPattern({3, 3});
    p.setPen(dashed);
    p.drawLine(QPointF(x, s.axis.bottom() + 2), QPointF(x, s.events.bottom()));
    draw_glyph(p, Glyph::divergence, {x, s.axis.bottom() - 2.0}, 9, colours);
  }
  if (in_view)
    paint_cursor(p, a.x_of(cursor_), s.axis.top(), s.events.bottom() + 1,
                 text_of(place_label(cursor_, unit_)), 0, s.bands.right() + legend_gap, colours);
  if (hasFocus()) {
    p.setPen(QPen(QColor(colours.accent), 1, Qt::DotLine));
    p.setBrush(Qt::NoBrush);
    p.drawRect(s.bands.adjusted(-2, -2, 1, 1));
  }
}

void TimelineView::resizeEvent(QResizeEvent*) {
  read();
}

QRect TimelineView::tick_key() const {
  const TimelineStrips s = strips();
  return {
      QPoint(s.bands.right() + 1 + legend_gap, s.events.center().y() - tick_key_size.height() / 2),
      tick_key_size};
}

std::optional<std::size_t> TimelineView::column_at(int x) const {
  const TimeAxis a = axis();
  if (x < a.left() || x >= a.right()) return std::nullopt;
  const auto index = static_cast<std::size_t>(static_cast<double>(x - a.left()) *
                                              static_cast<double>(columns_.size()) / a.width());
  return index < columns_.size() ? std::optional(index) : std::nullopt;
}

QString TimelineView::help_at(QPoint at) const {
  std::uint8_t glyphs = 0;  // whose marks are under the pointer
  const auto column = column_at(at.x());
  if (tick_key().contains(at)) {
    glyphs = 0xff;
  } else if (!column) {
    return {};
  } else if (strips().events.adjusted(0, -3, 0, 3).contains(at)) {
    // A line is a pixel wide: those beside the pointer are meant, too.
    for (const int x : {-2, -1, 0, 1, 2})
      if (const auto near = column_at(at.x() + x)) glyphs |= columns_[*near].glyphs;
  }
  QStringList lines;
  for (const TickKind& kind : tick_kinds)
    if ((glyphs & bit_of(kind.glyph)) != 0)
      lines.append(tr("<b>%1</b>: %2").arg(QLatin1String(kind.name), tr(kind.meaning)));
  if (!lines.isEmpty()) return lines.join(QStringLiteral("<br>"));
  const TimelineColumn& c = columns_[*column];
  const std::uint64_t all = all_slots(c);
  return tr("<b>%1</b><br>live %2 · holes %3 · tail %4<br>cached-free %5 · free %6")
      .arg(text_of(place_label(axis().time_at(at.x()), unit_)), share_of(live_slots(c), all),
           share_of(slots_of(c, BlockClass::hole), all),
           share_of(slots_of(c, BlockClass::tail), all),
           share_of(slots_of(c, BlockClass::cached_free), all),
           share_of(slots_of(c, BlockClass::free), all));
}

bool TimelineView::event(QEvent* e) {
  if (e->type() == QEvent::ToolTip && reader_) {
    const auto* help = static_cast<QHelpEvent*>(e);
    QToolTip::showText(help->globalPos(), help_at(help->pos()), this);
    return true;
  }
  return QWidget::event(e);
}

void TimelineView::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange) {
    still_ = QPixmap();
    update();
  }
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_timeline_view.cpp"
