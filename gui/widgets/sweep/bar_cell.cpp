// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/sweep/bar_cell.hpp"

#include <QPainter>
#include <QStyle>
#include <QWidget>

#include "gui/model/sweep/sweep_table.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

namespace {

constexpr int bar_width = 72, bar_height = 6, margin = 8, mark_width = 26;

}  // namespace

void BarCell::paint(QPainter* painter, const QStyleOptionViewItem& option,
                    const QModelIndex& index) const {
  if (index.column() == 0) return paint_first(painter, option, index);
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

void BarCell::paint_first(QPainter* painter, const QStyleOptionViewItem& option,
                          const QModelIndex& index) const {
  QStyleOptionViewItem rest(option);
  // The row's ground under the mark too.
  QStyleOptionViewItem ground(option);
  initStyleOption(&ground, index);
  ground.text.clear();
  ground.widget->style()->drawControl(QStyle::CE_ItemViewItem, &ground, painter, ground.widget);
  rest.rect.setLeft(rest.rect.left() + mark_width);
  QStyledItemDelegate::paint(painter, rest, index);
  const auto row = static_cast<std::size_t>(order_.mapToSource(index).row());
  const PlotDot* const dot = marks_.dot_of(row);
  if (dot == nullptr) return;
  painter->save();
  painter->setRenderHint(QPainter::Antialiasing);
  draw_sweep_mark(*painter, *dot,
                  QPointF(option.rect.left() + mark_width / 2.0 + 2, option.rect.center().y() + 1),
                  palette_of(application_theme()));
  painter->restore();
}

QSize BarCell::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
  QSize size = QStyledItemDelegate::sizeHint(option, index);
  if (index.data(SweepTable::bar_role).isValid()) size.rwidth() += bar_width + 2 * margin;
  if (index.column() == 0) size.rwidth() += mark_width;
  return size;
}

}  // namespace vacancy::gui
