// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/bar_cell.hpp"

#include <QPainter>

#include "gui/model/sweep/sweep_table.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

namespace {

constexpr int bar_width = 72, bar_height = 6, margin = 8;

}  // namespace

void BarCell::paint(QPainter* painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const {
  QStyledItemDelegate::paint(painter, option, index);
  const QVariant share = index.data(SweepTable::bar_role);
  if (!share.isValid()) return;
  const Palette& colours = palette_of(application_theme());
  const QRect cell = option.rect;
  const QRect bar(cell.left() + margin, cell.center().y() - bar_height / 2 + 1, bar_width,
                  bar_height);
  const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
  if (bar.right() + margin + text > cell.right() - margin) return;  // no room for both
  painter->fillRect(bar, QColor(colours.rule));
  QRect filled = bar;
  filled.setWidth(static_cast<int>(share.toDouble() * bar_width + 0.5));
  painter->fillRect(filled, QColor(colours.ink_2));
}

QSize BarCell::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  if (index.data(SweepTable::bar_role).isValid()) size.rwidth() += bar_width + 2 * margin;
  return size;
}

}  // namespace vacancy::gui
