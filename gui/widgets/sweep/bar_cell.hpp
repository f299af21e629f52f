// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractProxyModel>
#include <QStyledItemDelegate>

#include "gui/widgets/sweep/plot_view.hpp"

namespace vacancy::gui {

/// A figure with a bar of its share of the column's largest; in the first column the row's mark.
class BarCell final : public QStyledItemDelegate {
  Q_OBJECT

 public:
  /// `marks` outlives it. Its dots are of the model's rows, seen through `order`.
  BarCell(const PlotView& marks, const QAbstractProxyModel& order, QObject* parent)
      : QStyledItemDelegate(parent), marks_(marks), order_(order) {}
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  void paint_bar(QPainter* painter, const QStyleOptionViewItem& option, const QString& text,
                 double share) const;
  void paint_mark(QPainter* painter, const QRect& cell, const QModelIndex& index) const;

  const PlotView& marks_;
  const QAbstractProxyModel& order_;
};

}  // namespace vacancy::gui
