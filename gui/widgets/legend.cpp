// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/legend.hpp"

#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <numeric>

#include "gui/model/announcer.hpp"
#include "gui/model/legend.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int head = 38, tallest_row = 36, swatch = 15;

/// The ramp's ends and stops, in words.
struct RampText {
  std::vector<QRgb> colours;
  QString from, to;
};

RampText ramp_of(Colouring colouring) {
  RampText r;
  switch (colouring) {
    case Colouring::age:
      r.colours.assign(age_ramp.begin(), age_ramp.end());
      r.from = QStringLiteral("1 µs ago");
      r.to = QStringLiteral("10 s");
      break;
    case Colouring::score:
      r.colours.assign(score_ramp.begin(), score_ramp.end());
      r.from = QStringLiteral("0");
      r.to = QStringLiteral("1");
      break;
    case Colouring::references:
      r.colours.assign(score_ramp.begin(), score_ramp.end());
      r.from = QStringLiteral("1 2 3–4 5–8");
      r.to = QStringLiteral("9+");
      break;
    case Colouring::precision:
      r.colours.assign(score_ramp.begin(), score_ramp.end());
      r.from = QStringLiteral("2 4 8 16");
      r.to = QStringLiteral("32 bits");
      break;
    default:
      break;
  }
  return r;
}

}  // namespace

void draw_swatch(QPainter& painter, const QRect& box, BlockClass c, const Palette& palette) {
  painter.save();
  painter.setBrushOrigin(box.topLeft());
  painter.fillRect(box, Hatch(palette, c, painter.device()->devicePixelRatioF()).brush());
  if (c == BlockClass::shared)
    for (const int x : {3, 7})
      painter.fillRect(QRect(box.left() + x, box.top() + 3, 2, 6), QColor(palette.halo));
  if (c == BlockClass::pinned) {
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(palette.panel));
    const QPointF p = box.topLeft();
    painter.drawPolygon(QPolygonF({p, p + QPointF(7, 0), p + QPointF(0, 7)}));
  }
  if (c == BlockClass::free) {
    painter.setPen(QColor(palette.field_border));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -1, -1));
  }
  painter.restore();
}

Legend::Legend(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setFixedWidth(138);
  setAccessibleName(tr("Legend"));
}

void Legend::set_counts(const std::array<std::uint64_t, 7>& slot_counts, std::uint64_t host_blocks,
                        std::optional<std::uint64_t> disk_blocks) {
  counts_ = slot_counts;
  SlotClasses classes;
  classes.slots = slot_counts;
  const auto rows_now = vacancy::gui::legend(classes);
  for (std::size_t i = 0; i < shares_.size(); ++i)
    shares_[i] = text_of(rows_now[i].share);
  host_blocks_ = host_blocks;
  disk_blocks_ = disk_blocks;
  update();
}

void Legend::set_colouring(Colouring colouring) {
  colouring_ = colouring;
  update();
}

void Legend::set_sequence(std::uint32_t sequence) {
  sequence_ = sequence;
  update();
}

std::vector<Legend::Row> Legend::rows() const {
  const int room = (height() - head - 64) / 7;
  const int high = std::clamp(room, 18, tallest_row);
  std::vector<Row> result;
  int y = head;
  for (std::size_t i = 0; i < counts_.size(); ++i, y += high)
    result.push_back({QRect(0, y, width(), high), static_cast<BlockClass>(i)});
  return result;
}

void Legend::show(std::optional<BlockClass> c) {
  update();
  Q_EMIT isolate(c ? c : isolated_);
}

void Legend::clear_isolated() {
  if (!isolated_) return;
  isolated_.reset();
  show(std::nullopt);
}

void Legend::paint_ramp(QPainter& painter, int y) const {
  const Palette& p = palette_of(application_theme());
  const RampText ramp = ramp_of(colouring_);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(0, y, width(), 16), Qt::AlignLeft, text_of(colouring_name(colouring_)));
  y += 20;
  if (ramp.colours.empty()) {
    const int wide = width() / 12;
    for (std::uint32_t i = 0; i < 12; ++i)
      painter.fillRect(static_cast<int>(i) * wide, y, wide, 12, QColor(p.sequence(i)));
    painter.setFont(ui_font(11));
    painter.drawText(QRect(0, y + 15, width(), 16), Qt::AlignLeft, tr("its number mod 12"));
    return;
  }
  const int wide = (width() - 10) / 5;
  for (int i = 0; i < 5; ++i)
    painter.fillRect(i * wide, y, wide, 12, QColor(ramp.colours[static_cast<std::size_t>(i)]));
  painter.setFont(ui_font(11));
  const QRect below(0, y + 15, wide * 5, 16);
  painter.drawText(below, Qt::AlignLeft, ramp.from);
  painter.drawText(below, Qt::AlignRight, ramp.to);
}

void Legend::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Palette& p = palette_of(application_theme());
  const std::uint64_t all = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(0, 0, width(), 18), Qt::AlignLeft | Qt::AlignVCenter,
                   tr("Slots of the pool"));
  painter.setFont(ui_font(11.5));
  painter.setPen(QColor(p.ink_3));
  painter.drawText(QRect(0, 17, width(), 16), Qt::AlignLeft | Qt::AlignVCenter,
                   grouped(all) + tr(" = 100\u00A0%"));
  const std::vector<Row> list = rows();
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Row& row = list[i];
    const bool chosen = isolated_ == row.c;
    if (chosen || pointed_ == row.c)
      painter.fillRect(row.box.adjusted(0, 0, -6, -1), QColor(p.accent_tint));
    if (chosen)
      painter.fillRect(QRect(0, row.box.top(), 3, row.box.height() - 1), QColor(p.accent));
    if (hasFocus() && static_cast<int>(i) == focus_) {
      painter.setPen(QPen(QColor(p.accent), 1, Qt::DotLine));
      painter.drawRect(row.box.adjusted(0, 0, -7, -2));
    }
    const int left = chosen ? 5 : 0;
    const bool two_lines = row.box.height() >= 31;
    draw_swatch(painter, QRect(left, row.box.top() + 2, swatch, swatch), row.c, p);
    painter.setPen(QColor(p.ink));
    painter.setFont(ui_font(12.5));
    const int text_left = left + swatch + 8;
    const std::uint64_t slots_here = counts_[i];
    const QString& share = shares_[i];
    const QRect first(text_left, row.box.top(), width() - text_left - 8, 18);
    QString name = text_of(class_name(row.c));
    if (!two_lines) {
      // The share stands behind it.
      painter.setFont(ui_font(12));
      const QFontMetrics metrics(painter.font());
      name = metrics.elidedText(name, Qt::ElideRight,
                                first.width() - metrics.horizontalAdvance(share) - 4);
    }
    painter.drawText(first, Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setFont(ui_font(11.5));
    painter.setPen(QColor(p.ink_2));
    if (two_lines) {
      const QRect second = first.translated(0, 16);
      painter.drawText(second, Qt::AlignLeft | Qt::AlignVCenter, grouped(slots_here));
      painter.drawText(second, Qt::AlignRight | Qt::AlignVCenter, share);
    } else {
      painter.drawText(first, Qt::AlignRight | Qt::AlignVCenter, share);
    }
  }
  int y = list.back().box.bottom() + 6;
  if (host_blocks_ > 0 || disk_blocks_) {
    painter.setPen(QColor(p.rule));
    painter.drawLine(0, y, width() - 8, y);
    painter.setPen(QColor(p.ink_2));
    painter.setFont(ui_font(12, true));
    painter.drawText(QRect(0, y + 5, width(), 18), Qt::AlignLeft, tr("Other tiers"));
    y += 26;
    const auto tier = [&](BlockClass c, std::uint64_t blocks) {
      draw_swatch(painter, QRect(0, y, swatch, swatch), c, p);
      painter.setFont(ui_font(12.5));
      painter.setPen(QColor(p.ink));
      painter.drawText(QRect(swatch + 8, y - 1, 60, 18), Qt::AlignLeft, text_of(class_name(c)));
      painter.setFont(ui_font(11.5));
      painter.setPen(QColor(p.ink_2));
      painter.drawText(QRect(swatch + 8, y - 1, width() - swatch - 16, 18), Qt::AlignRight,
                       text_of(counted(blocks, "block")));
      y += 22;
    };
    tier(BlockClass::host, host_blocks_);
    if (disk_blocks_) tier(BlockClass::disk, *disk_blocks_);
  }
  if (colouring_ != Colouring::state) {
    paint_ramp(painter, y + 4);
    return;
  }
  if (height() - y < 96) return;
  painter.setPen(QColor(p.rule));
  painter.drawLine(0, y + 2, width() - 8, y + 2);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(0, y + 8, width(), 18), Qt::AlignLeft, tr("Marks"));
  const auto mark = [&](int top, QRgb ink, int wide, const QString& name) {
    painter.setPen(QPen(QColor(ink), wide, Qt::SolidLine, Qt::SquareCap, Qt::MiterJoin));
    painter.setBrush(QColor(p.panel));
    painter.drawRect(QRect(2, top + 2, 11, 11));
    painter.setPen(QColor(p.ink));
    painter.setFont(ui_font(12));
    painter.drawText(QRect(swatch + 8, top - 1, width() - swatch - 8, 18), Qt::AlignLeft, name);
  };
  mark(y + 29, p.ink, 1,
       sequence_ == no_sequence ? tr("sequence") : text_of(sequence_name(sequence_)));
  mark(y + 49, p.ink, 2, tr("selected"));
  mark(y + 69, p.accent, 2, tr("under pointer"));
}

void Legend::mouseMoveEvent(QMouseEvent* event) {
  std::optional<BlockClass> at;
  for (const Row& row : rows())
    if (row.box.contains(event->position().toPoint())) at = row.c;
  if (at == pointed_) return;
  pointed_ = at;
  show(at);
}

void Legend::mousePressEvent(QMouseEvent* event) {
  for (const Row& row : rows()) {
    if (!row.box.contains(event->position().toPoint())) continue;
    isolated_ = isolated_ == row.c ? std::nullopt : std::optional(row.c);
    focus_ = static_cast<int>(index_of(row.c));
    show(isolated_);
  }
}

void Legend::leaveEvent(QEvent*) {
  if (!pointed_) return;
  pointed_.reset();
  show(std::nullopt);
}

void Legend::keyPressEvent(QKeyEvent* event) {
  const int rows_here = static_cast<int>(counts_.size());
  if (event->key() == Qt::Key_Down || event->key() == Qt::Key_Up) {
    focus_ = (focus_ + (event->key() == Qt::Key_Down ? 1 : rows_here - 1)) % rows_here;
    update();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    const auto c = static_cast<BlockClass>(focus_);
    isolated_ = isolated_ == c ? std::nullopt : std::optional(c);
    show(isolated_);
  } else {
    QWidget::keyPressEvent(event);
  }
}

void Legend::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui
