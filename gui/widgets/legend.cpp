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
#include "gui/paint/map_key.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/timeline_view.hpp"

namespace vacancy::gui {
namespace {

constexpr int head = 38, tallest_row = 36, swatch = 15, tiers_head = 26, tier_height = 22,
              frames_height = 96;

}  // namespace

Legend::Legend(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setFocusPolicy(Qt::StrongFocus);
  setFixedWidth(legend_width);
  setAccessibleName(tr("Legend"));
  set_counts({}, 0);
}

void Legend::set_counts(const std::array<std::uint64_t, 7>& slot_counts, std::uint64_t host_blocks,
                        std::optional<std::uint64_t> disk_blocks) {
  counts_ = slot_counts;
  SlotClasses classes;
  classes.slots = slot_counts;
  texts_ = vacancy::gui::legend(classes);
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

QSize Legend::sizeHint() const {
  return {legend_width, 420};
}

int Legend::tier_count() const {
  return disk_blocks_ ? 2 : host_blocks_ > 0 ? 1 : 0;
}

std::vector<Legend::Row> Legend::rows() const {
  const int tiers = tier_count() > 0 ? tiers_head + tier_height * tier_count() : 0;
  const int ramp = colouring_ != Colouring::state ? ramp_height + 4 : 0;
  const int room = (height() - head - std::max(64, 6 + tiers + ramp)) / 7;
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
  if (all > 0)
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
    paint_class_row(painter, row.box.adjusted(chosen ? 5 : 0, 0, -8, 0), texts_[i], p, colouring_);
  }
  int y = paint_tiers(painter, list.back().box.bottom() + 6);
  if (colouring_ != Colouring::state) {
    paint_ramp(painter, QRect(0, y + 4, width() - 8, ramp_height), colouring_, p);
    y += ramp_height + 4;
  }
  if (height() - y >= frames_height) paint_frames(painter, y);
}

int Legend::paint_tiers(QPainter& painter, int y) const {
  if (tier_count() == 0) return y;
  const Palette& p = palette_of(application_theme());
  painter.setPen(QColor(p.rule));
  painter.drawLine(0, y, width() - 8, y);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(0, y + 5, width(), 18), Qt::AlignLeft, tr("Other tiers"));
  y += tiers_head;
  const auto tier = [&](BlockClass c, std::uint64_t blocks) {
    draw_swatch(painter, QRect(0, y, swatch, swatch), c, p);
    painter.setFont(ui_font(12.5));
    painter.setPen(QColor(p.ink));
    painter.drawText(QRect(swatch + 8, y - 1, 60, 18), Qt::AlignLeft, text_of(class_name(c)));
    painter.setFont(ui_font(11.5));
    painter.setPen(QColor(p.ink_2));
    painter.drawText(QRect(swatch + 8, y - 1, width() - swatch - 16, 18), Qt::AlignRight,
                     text_of(counted(blocks, "block")));
    y += tier_height;
  };
  tier(BlockClass::host, host_blocks_);
  if (disk_blocks_) tier(BlockClass::disk, *disk_blocks_);
  return y;
}

void Legend::paint_frames(QPainter& painter, int y) const {
  const Palette& p = palette_of(application_theme());
  painter.setPen(QColor(p.rule));
  painter.drawLine(0, y + 2, width() - 8, y + 2);
  painter.setPen(QColor(p.ink_2));
  painter.setFont(ui_font(12, true));
  painter.drawText(QRect(0, y + 8, width(), 18), Qt::AlignLeft, tr("Marks"));
  y += 28;
  const QString sequence =
      sequence_ == no_sequence ? tr("sequence") : text_of(sequence_name(sequence_));
  for (const FrameKey& key : {FrameKey{p.ink, 1, sequence}, FrameKey{p.ink, 2, tr("selected")},
                              FrameKey{p.accent, 2, tr("under pointer")}}) {
    paint_frame_row(painter, QRect(0, y, width() - 8, frame_row_height), key, p);
    y += frame_row_height;
  }
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

#include "moc_legend.cpp"
