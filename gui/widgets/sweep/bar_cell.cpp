// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/bar_cell.hpp"

#include <QPainter>
#include <QStyle>
#include <QWidget>
#include <algorithm>

#include "gui/model/sweep/sweep_table.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

namespace {

constexpr int least_bar = 72, bar_height = 6, margin = 8, mark_width = 26;
constexpr int inset = 5;  // to where headings begin and end

/// As long in every cell of a column, so that shares can be compared.
int bar_width(int cell) {
  return std::max(least_bar, cell / 3);
}

/// Of a cell that has room for its bar and a text of that width.
int cell_width(int text) {
  return std::max(text + 2 * margin + least_bar, (text + 2 * margin) * 3 / 2 + 1);
}

}  // namespace

void BarCell::paint(QPainter* painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const {
  // The row's ground in the whole cell, its text in what marks and margins leave.
  QStyleOptionViewItem ground(option), inside(option);
  initStyleOption(&ground, index);
  ground.text.clear();
  ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
  inside.rect.adjust(index.column() == 0 ? mark_width : inset, 0, -inset, 0);
  QStyledItemDelegate::paint(painter, inside, index);
  if (index.column() == 0) return paint_mark(painter, option.rect, index);
  const QVariant share = index.data(SweepTable::bar_role);
  if (share.isValid()) paint_bar(painter, option, index.data().toString(), share.toDouble());
}

void BarCell::paint_bar(QPainter* painter, const QStyleOptionViewItem& option, const QString& text,
                        double share) const {
  const Palette& colours = palette_of(application_theme());
  const QRect cell = option.rect;
  const QRect bar(cell.left() + margin, cell.center().y() - bar_height / 2 + 1,
                  bar_width(cell.width()), bar_height);
  if (bar.right() + margin + option.fontMetrics.horizontalAdvance(text) > cell.right() - margin)
    return;  // no room for both
  painter->fillRect(bar, QColor(colours.rule));
  QRect filled = bar;
  filled.setWidth(qRound(share * bar.width()));
  painter->fillRect(filled, QColor(colours.ink_2));
}

void BarCell::paint_mark(QPainter* painter, const QRect& cell, const QModelIndex& index) const {
  const auto row = static_cast<std::size_t>(order_.mapToSource(index).row());
  const PlotDot* const dot = marks_.dot_of(row);
  if (dot == nullptr) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  draw_sweep_mark(*painter, *dot,
                  QPointF(cell.left() + mark_width / 2.0 + 2, cell.center().y() + 1),
                  palette_of(application_theme()));
  painter->restore();
}

QSize BarCell::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  if (index.data(SweepTable::bar_role).isValid()) size.setWidth(cell_width(size.width()));
  size.rwidth() += index.column() == 0 ? mark_width + inset : 2 * inset;
  return size;
}

}  // namespace vacancy::gui

#include "moc_bar_cell.cpp"
