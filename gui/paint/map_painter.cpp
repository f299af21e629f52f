// SPDX-License-Identifier: Apache-2.0
#include "gui/paint/map_painter.hpp"

#include <QGuiApplication>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>

#include "gui/model/number_format.hpp"
#include "gui/paint/canvas.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/slot_grid.hpp"

namespace vacancy::gui {
namespace {

constexpr double other_sequences_share = 0.42;

/// Notable by five bits: held, cached, pinned, at least half holes, shared. A table instead of
/// branches, which no processor could foresee.
constexpr std::array<std::uint8_t, 32> notable_table = [] {
  std::array<std::uint8_t, 32> table{};
  for (unsigned bits = 0; bits < table.size(); ++bits) {
    Notable n = (bits & 2U) != 0 ? Notable::cached_free : Notable::free;
    if ((bits & 1U) != 0)
      n = (bits & 4U) != 0    ? Notable::pinned
          : (bits & 8U) != 0  ? Notable::half_holes
          : (bits & 16U) != 0 ? Notable::shared
                              : Notable::live;
    table[bits] = static_cast<std::uint8_t>(n);
  }
  return table;
}();

/// What is notable of a page's block.
unsigned bits_of(const BlockPage& page, std::size_t at, std::uint32_t block_size) {
  const unsigned holes = static_cast<unsigned>(page.fill[at] - page.live[at]);
  return (page.flags[at] & 7U) | (holes * 2 >= block_size ? 8U : 0U) |
         (page.references[at] > 1 ? 16U : 0U);
}

/// The blocks of a pool from `begin` to `end`, as runs within a page: f(page, first, count).
template <class F>
void for_page_runs(BlockPages pages, std::size_t begin, std::size_t end, F&& f) {
  while (begin < end) {
    const std::size_t first = begin % BlockPage::blocks,
                      count = std::min(end - begin, BlockPage::blocks - first);
    f(*pages[begin / BlockPage::blocks], first, count);
    begin += count;
  }
}

void draw_columns(Canvas& canvas, const QRect& cell, const CellLook& look, const MapInks& inks,
                  const MapLayout& layout, std::uint32_t block_size) {
  const bool textured = layout.level() >= MapLevel::hatch;
  const CellHeights h =
      cell_heights(cell.height(), look.live, static_cast<std::uint32_t>(look.fill - look.live),
                   block_size - look.fill);
  const auto part = [&](int top, int height, BlockClass c) {
    const QRect r(cell.left(), top, cell.width(), height);
    if (textured)
      canvas.fill(r, inks.cell(c));
    else
      canvas.fill(r, inks.of(c));
  };
  part(cell.top(), h.tail, BlockClass::tail);
  part(cell.top() + h.tail, h.hole, BlockClass::hole);
  canvas.fill({cell.left(), cell.top() + h.tail + h.hole, cell.width(), h.live}, look.colour);
}

void draw_marks(Canvas& canvas, const QRect& cell, const CellLook& look, const Palette& palette,
                double scale) {
  const int unit = std::max(1, static_cast<int>(std::lround(scale)));
  if (look.pinned)
    canvas.cut_corner(cell, std::clamp(cell.width() / 2, 3, 8 * unit), palette.panel);
  if (look.shared) {
    const int bar = std::max(unit, cell.width() / 10);
    const int left = cell.left() + 2 * unit, top = cell.top() + 2 * unit;
    for (int i = 0; i < 2; ++i)
      canvas.fill({left + i * 2 * bar, top, bar, std::max(3 * unit, cell.height() / 3)},
                  palette.halo);
  }
}

void draw_slots(Canvas& canvas, const SlotGrid& grid, const CellLook& look, const MapScene& scene,
                const MapInks& inks, std::uint32_t block, const MapLayout& layout) {
  const Palette& p = *scene.palette;
  const std::span<const SlotView> slots = scene.slots(block);
  for (std::uint32_t i = 0; i < slots.size(); ++i) {
    const QRect r = grid.slot(i);
    switch (slots[i].state) {
      case SlotState::live:
        canvas.fill(r, slot_colour(scene, look, slots[i]));
        break;
      case SlotState::hole:
        canvas.fill(r, inks.slot(BlockClass::hole));
        break;
      case SlotState::tail:
        canvas.fill(r, inks.slot(BlockClass::tail));
        break;
    }
    if (layout.level() == MapLevel::numbers && slots[i].score > 0) {  // not if unweighed
      const int high = std::max(1, static_cast<int>(std::lround(3 * layout.scale())));
      const int wide = static_cast<int>(
          std::lround(r.width() * static_cast<double>(std::min(1.0F, slots[i].score))));
      canvas.fill({r.left(), r.bottom() - high + 1, wide, high}, p.ink);
    }
  }
}

/// The largest font in which the longest position fits its slot; the smallest where none does.
QFont position_font(std::span<const SlotView> slots, const QRect& slot, double scale) {
  std::uint32_t most = 0;
  for (const SlotView& s : slots)
    if (s.position != UINT32_MAX) most = std::max(most, s.position);
  const QString text = QString::number(most);
  for (const double size : {11.0, 10.0, 9.0})
    if (QFontMetrics(ui_font(size * scale)).horizontalAdvance(text) <= slot.width())
      return ui_font(size * scale);
  return ui_font(8 * scale);
}

QRgb ink_on(QRgb ground) {
  return qGray(ground) > 140 ? qRgb(0x0B, 0x0D, 0x10) : qRgb(0xFF, 0xFF, 0xFF);
}

}  // namespace

bool MapPainter::same_place(const MapScene& scene, const MapLayout& layout) const {
  return !image_.isNull() && layout == layout_ && scene.palette == palette_ &&
         scene.colouring == colouring_ && scene.isolated == isolated_ &&
         scene.pool.block_size == block_size_ && scene.strength == strength_;
}

const QImage& MapPainter::paint(const MapScene& scene, const MapLayout& layout) {
  const bool all = !same_place(scene, layout);
  if (all) {
    layout_ = layout;
    palette_ = scene.palette;
    colouring_ = scene.colouring;
    isolated_ = scene.isolated;
    block_size_ = scene.pool.block_size;
    strength_ = scene.strength;
    if (image_.size() != layout.view()) image_ = QImage(layout.view(), QImage::Format_RGB32);
    image_.fill(scene.palette->panel);
  }
  painted_ = 0;
  const MapInks inks(scene, layout.scale());
  if (layout.level() == MapLevel::image)
    paint_pixels(scene, inks);
  else
    paint_cells(scene, inks, all);
  return image_;
}

void MapPainter::paint_pixels(const MapScene& scene, const MapInks& inks) {
  const BlockPages pages = scene.pool.pages;
  const std::uint32_t block_size = scene.pool.block_size;
  std::array<QRgb, 6> colours = {inks.of(BlockClass::free), inks.of(BlockClass::cached_free),
                                 inks.of(BlockClass::live), inks.of(BlockClass::shared),
                                 inks.of(BlockClass::hole), inks.of(BlockClass::pinned)};
  if (strength_ < 1)
    for (QRgb& c : colours)
      c = mix(scene.palette->panel, c, strength_);
  const std::uint32_t per_cell = layout_.zoom().blocks_per_cell;
  const int pixel = layout_.pitch();
  const MapLayout::Range rows = layout_.visible_rows(), cells = layout_.visible_columns();
  const bool by_state = scene.colouring == Colouring::state;
  const bool block_is_pixel = by_state && pixel == 1 && per_cell == 1;
  std::array<QRgb, notable_table.size()> by_bits{};
  for (std::size_t i = 0; i < by_bits.size(); ++i)
    by_bits[i] = colours[notable_table[i]];
  Canvas canvas(image_, -layout_.origin());
  for (std::uint32_t r = rows.first; r < rows.last; ++r) {
    const MapLayout::Row row = layout_.row(r);
    const int top = static_cast<int>(r) * pixel - layout_.origin().y();
    const std::uint32_t in_row = (row.count + per_cell - 1) / per_cell;
    const int first_y = std::max(0, top);
    QRgb* const out = canvas.row(first_y);
    painted_ += in_row;
    if (block_is_pixel) {
      QRgb* to = out;
      const std::uint32_t from = row.first + cells.first;
      const std::uint32_t past = row.first + std::clamp(in_row, cells.first, cells.last);
      const std::uint32_t there = std::clamp(scene.blocks, from, past);
      std::fill_n(to + (there - from), past - there, scene.palette->panel);
      for_page_runs(pages, from, there,
                    [&](const BlockPage& page, std::size_t first, std::size_t count) {
                      for (std::size_t i = 0; i < count; ++i)
                        to[i] = by_bits[bits_of(page, first + i, block_size)];
                      to += count;
                    });
      continue;
    }
    for (std::uint32_t c = cells.first; c < std::min(cells.last, in_row); ++c) {
      const std::size_t begin = row.first + std::size_t{c} * per_cell;
      const std::size_t end = std::min<std::size_t>(begin + per_cell, row.first + row.count);
      std::size_t shown = begin, block = begin;
      int most = -1;
      for_page_runs(pages, begin, end,
                    [&](const BlockPage& page, std::size_t first, std::size_t count) {
                      for (std::size_t i = 0; i < count; ++i, ++block) {
                        const int n = notable_table[bits_of(page, first + i, block_size)];
                        if (n > most) {
                          most = n;
                          shown = block;
                        }
                      }
                    });
      const QRgb colour =
          begin >= scene.blocks ? scene.palette->panel
          : by_state            ? colours[static_cast<std::size_t>(most)]
                     : look_of(scene, inks, static_cast<std::uint32_t>(shown), false).colour;
      const int left = static_cast<int>(c) * pixel - layout_.origin().x();
      for (int x = std::max(0, left); x < std::min(left + pixel, image_.width()); ++x)
        out[x] = colour;
    }
    for (int y = first_y + 1; y < std::min(top + pixel, image_.height()); ++y)
      std::copy_n(out, image_.width(), canvas.row(y));
  }
}

void MapPainter::paint_cells(const MapScene& scene, const MapInks& inks, bool all) {
  const MapLayout::Range rows = layout_.visible_rows(), cells = layout_.visible_columns();
  const std::size_t wide = cells.last - cells.first;
  looks_.resize(wide * (rows.last - rows.first));
  const bool with_slots = layout_.level() >= MapLevel::slots && scene.slots;
  const QRgb ground = scene.palette->panel;
  Canvas canvas(image_, -layout_.origin());
  std::vector<std::uint32_t> titled;
  std::size_t place = 0;
  for (std::uint32_t r = rows.first; r < rows.last; ++r, place += wide) {
    const MapLayout::Row row = layout_.row(r);
    for (std::uint32_t c = cells.first; c < std::min(cells.last, row.count); ++c) {
      const std::uint32_t block = row.first + c;
      const CellLook look = look_of(scene, inks, block, with_slots);
      CellLook& known = looks_[place + (c - cells.first)];
      if (!all && look == known) continue;
      known = look;
      ++painted_;
      const QRect cell = layout_.cell(block);
      const SlotGrid grid(layout_, cell, block_size_);
      const QRect frame = grid.frame();
      if (look.kind == CellLook::nothing) {
        canvas.fill(frame, ground);
        continue;
      }
      if (with_slots && look.kind == CellLook::columns) {
        canvas.fill(frame, ground);
        draw_slots(canvas, grid, look, scene, inks, block, layout_);
        if (layout_.level() == MapLevel::numbers) canvas.frame(frame, scene.palette->rule);
      } else if (look.kind == CellLook::columns) {
        draw_columns(canvas, frame, look, inks, layout_, block_size_);
      } else if (layout_.level() >= MapLevel::hatch && scene.colouring == Colouring::state) {
        canvas.fill(frame, inks.cell(look.texture));
      } else {
        canvas.fill(frame, look.colour);
      }
      if (layout_.level() >= MapLevel::marks && !(with_slots && !grid.title().isEmpty()) &&
          scene.colouring == Colouring::state)
        draw_marks(canvas, frame, look, *scene.palette, layout_.scale());
      if (!grid.title().isEmpty()) titled.push_back(block);
      const double share = strength_ * (look.faded ? other_sequences_share : 1);
      if (share < 1) canvas.fade(frame, ground, share);
    }
  }
  if (!titled.empty()) paint_texts(scene, titled);
}

void MapPainter::paint_texts(const MapScene& scene, const std::vector<std::uint32_t>& blocks) {
  const Palette& p = *scene.palette;
  const double scale = layout_.scale();
  const bool numbers = layout_.level() == MapLevel::numbers;
  QPainter painter(&image_);
  const QFont small = ui_font(10.5 * scale), bold = ui_font((numbers ? 12 : 10.5) * scale, true);
  const MapInks inks(scene, scale);
  for (const std::uint32_t block : blocks) {
    const CellLook look = look_of(scene, inks, block, true);
    const SlotGrid grid(layout_, layout_.cell(block), block_size_);
    painter.setOpacity(strength_ * (look.faded ? other_sequences_share : 1));
    const QRect title =
        grid.title().adjusted(static_cast<int>(3 * scale), 0, -static_cast<int>(3 * scale), 0);
    const QString id = QString::fromStdString(number(block));
    if (look.kind != CellLook::columns) {
      painter.setPen(QColor(look.texture == BlockClass::free ? p.ink_3 : p.label(look.texture)));
      painter.setFont(small);
      painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, id);
      painter.drawText(grid.frame(), Qt::AlignCenter,
                       look.texture == BlockClass::free          ? QStringLiteral("free")
                       : look.texture == BlockClass::cached_free ? QStringLiteral("cached")
                                                                 : QStringLiteral("host"));
      continue;
    }
    painter.setPen(QColor(p.ink));
    painter.setFont(bold);
    painter.drawText(title, Qt::AlignLeft | Qt::AlignVCenter, id);
    if (look.owner != no_sequence) {
      QString owner = QStringLiteral("s%1").arg(look.owner);
      if (numbers && scene.logical) owner += QStringLiteral(" · %1").arg(scene.logical(block));
      painter.setFont(small);
      const int left = title.width() - QFontMetrics(bold).horizontalAdvance(id + ' ');
      if (QFontMetrics(small).horizontalAdvance(owner) <= left) {
        painter.setPen(QColor(p.ink_2));
        painter.drawText(title, Qt::AlignRight | Qt::AlignVCenter, owner);
      }
    }
    if (!numbers || !scene.slots) continue;
    const std::span<const SlotView> slots = scene.slots(block);
    painter.setFont(position_font(slots, grid.slot(0), scale));
    const QFontMetrics metrics(painter.font());
    for (std::uint32_t i = 0; i < slots.size(); ++i) {
      const QRect r = grid.slot(i);
      if (slots[i].position == UINT32_MAX || r.height() < metrics.ascent()) continue;
      const QString text = QString::number(slots[i].position);
      if (metrics.horizontalAdvance(text) > r.width()) continue;
      const QRgb under = slots[i].state == SlotState::live ? slot_colour(scene, look, slots[i])
                                                           : inks.of(BlockClass::hole);
      painter.setPen(QColor(ink_on(under)));
      painter.drawText(r, Qt::AlignCenter, text);
    }
  }
}

QImage map_image(const MapScene& scene, const MapLayout& layout) {
  MapPainter painter;
  return painter.paint(scene, layout);
}

}  // namespace vacancy::gui
