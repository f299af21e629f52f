// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/inspector.hpp"

#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <utility>

#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int inspector_pad = 16, slot_height = 24;

}  // namespace

Inspector::Inspector(QWidget* parent) : QWidget(parent) {
  setAccessibleName(tr("Inspector"));
}

void Inspector::set_block(std::optional<BlockFacts> facts) {
  facts_ = std::move(facts);
  QString all;
  if (facts_) {
    all =
        tr("Block %1, %2 live, %3 holes. ").arg(facts_->block).arg(facts_->live).arg(facts_->holes);
    for (const auto& [name, value] : facts_->rows)
      all += name + ' ' + value + QStringLiteral(". ");
    all += facts_->why;
  }
  setAccessibleDescription(all);
  update();
}

void Inspector::set_blocks_known(bool known) {
  blocks_known_ = known;
  update();
}

void Inspector::draw_slots(QPainter& painter, const QRect& box) const {
  const Palette& p = palette_of(application_theme());
  const auto n = static_cast<int>(facts_->slot_views.size());
  const int across = std::min(n, n <= 64 ? 8 : 16), down = (n + across - 1) / across;
  painter.setFont(ui_font(11));
  for (int i = 0; i < n; ++i) {
    const SlotView& slot = facts_->slot_views[static_cast<std::size_t>(i)];
    const int x0 = box.left() + i % across * (box.width() + 2) / across;
    const int x1 = box.left() + (i % across + 1) * (box.width() + 2) / across - 2;
    const int y = box.top() + i / across * (box.height() + 2) / down;
    const QRect r(x0, y, x1 - x0, (box.height() + 2) / down - 2);
    const BlockClass c = slot.state == SlotState::live   ? facts_->kind
                         : slot.state == SlotState::hole ? BlockClass::hole
                                                         : BlockClass::tail;
    painter.setBrushOrigin(box.topLeft());
    painter.fillRect(r, Hatch(p, c, devicePixelRatioF(), true).brush());
    if (slot.state != SlotState::live || slot.position == UINT32_MAX) continue;
    const QString text = QString::number(slot.position);
    double size = 11;
    while (size > 9 && QFontMetrics(ui_font(size)).horizontalAdvance(text) > r.width())
      size -= 1;
    painter.setFont(ui_font(size));
    if (QFontMetrics(painter.font()).horizontalAdvance(text) > r.width() || r.height() < 14)
      continue;
    painter.setPen(QColor(p.label(c)));
    painter.drawText(r, Qt::AlignCenter, text);
  }
}

void Inspector::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Palette& p = palette_of(application_theme());
  painter.fillRect(rect(), QColor(p.panel));
  if (!facts_) {
    painter.setPen(QColor(p.ink_3));
    painter.setFont(ui_font(12.5));
    painter.drawText(rect().adjusted(inspector_pad, 16, -inspector_pad, 0), Qt::TextWordWrap,
                     blocks_known_
                         ? tr("Point at a block to see what it holds. Click to keep it here.")
                         : tr("This run names no blocks: there is none to look into."));
    return;
  }
  const BlockFacts& f = *facts_;
  const int wide = width() - 2 * inspector_pad;
  int y = 12;
  painter.setPen(QColor(p.ink));
  painter.setFont(ui_font(17, true));
  const QString title = tr("Block %1").arg(grouped(f.block));
  painter.drawText(QRect(inspector_pad, y, wide, 26), Qt::AlignLeft | Qt::AlignVCenter, title);
  int x = inspector_pad + QFontMetrics(painter.font()).horizontalAdvance(title) + 12;
  const auto chip = [&](const QString& text, BlockClass c) {
    painter.setFont(ui_font(11.5));
    const int w = QFontMetrics(painter.font()).horizontalAdvance(text) + 16;
    painter.setPen(Qt::NoPen);
    painter.setBrush(QColor(p.of(c)));
    painter.drawRoundedRect(QRect(x, y + 4, w, 19), 9.5, 9.5);
    painter.setPen(QColor(p.label(c)));
    painter.drawText(QRect(x, y + 4, w, 19), Qt::AlignCenter, text);
    x += w + 6;
  };
  if (f.slot_views.empty()) {
    chip(f.kind == BlockClass::cached_free ? tr("cached-free")
         : f.kind == BlockClass::host      ? tr("on the host")
                                           : tr("free"),
         f.kind);
  } else {
    if (f.live > 0) chip(tr("%1 live").arg(f.live), f.kind);
    if (f.holes > 0)
      chip(f.holes == 1 ? tr("1 hole") : tr("%1 holes").arg(f.holes), BlockClass::hole);
    if (f.tail > 0) chip(tr("%1 tail").arg(f.tail), BlockClass::tail);
  }
  y += 36;
  painter.setRenderHint(QPainter::Antialiasing, false);
  if (!f.slot_views.empty()) {
    const auto n = static_cast<int>(f.slot_views.size());
    const int down = std::min(8, (n + 7) / 8);
    const int high = down * (n <= 64 ? slot_height : 14);
    draw_slots(painter, QRect(inspector_pad, y, wide, high));
    y += high + 12;
  }
  painter.setRenderHint(QPainter::Antialiasing);
  for (const auto& [name, value] : f.rows) {
    painter.setFont(ui_font(12.5));
    painter.setPen(QColor(p.ink_2));
    painter.drawText(QRect(inspector_pad, y, 84, 20), Qt::AlignLeft | Qt::AlignVCenter, name);
    painter.setPen(QColor(p.ink));
    const QRect room(inspector_pad + 84, y, wide - 84, 20);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(value, Qt::ElideRight, room.width()));
    y += 22;
  }
  if (!f.why.isEmpty()) {
    y += 6;
    painter.setFont(ui_font(12.5));
    const QRect text = QFontMetrics(painter.font())
                           .boundingRect(QRect(inspector_pad + 14, y + 8, wide - 24, 400),
                                         Qt::TextWordWrap, f.why);
    const QRect box(inspector_pad, y, wide, text.height() + 16);
    painter.fillRect(box, QColor(p.accent_tint));
    painter.fillRect(QRect(box.left(), box.top(), 3, box.height()), QColor(p.accent));
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(inspector_pad + 14, y + 8, wide - 24, text.height()), Qt::TextWordWrap,
                     f.why);
    y += box.height() + 8;
  }
  if (f.history.empty() || y > height() - 40) return;
  y += 6;
  painter.setFont(ui_font(12, true));
  painter.setPen(QColor(p.ink_2));
  painter.drawText(QRect(inspector_pad, y, wide, 18), Qt::AlignLeft, tr("History"));
  const int after =
      inspector_pad + QFontMetrics(painter.font()).horizontalAdvance(tr("History")) + 8;
  painter.fillRect(QRect(after, y + 9, inspector_pad + wide - after, 1), QColor(p.rule));
  y += 20;
  int times = 0;
  for (const auto& [time, what] : f.history)
    times = std::max(times, QFontMetrics(ui_font(12)).horizontalAdvance(time) + 8);
  for (const auto& [time, what] : f.history) {
    if (y > height() - 16) break;
    painter.setPen(QColor(p.ink_3));
    painter.setFont(ui_font(12));
    painter.drawText(QRect(inspector_pad, y, times, 18), Qt::AlignLeft | Qt::AlignVCenter, time);
    painter.setPen(QColor(p.ink));
    const int room = wide - times;
    painter.setFont(fitting_font(what, room, 12));
    painter.drawText(QRect(inspector_pad + times, y, room, 18), Qt::AlignLeft | Qt::AlignVCenter,
                     QFontMetrics(painter.font()).elidedText(what, Qt::ElideRight, room));
    y += 20;
  }
}

void Inspector::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange) update();
  QWidget::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_inspector.cpp"
