// SPDX-License-Identifier: Apache-2.0
#include "gui/model/sweep/sweep_table.hpp"

#include <QString>
#include <algorithm>
#include <utility>

#include "gui/model/form/qt_text.hpp"
#include "gui/model/sweep/figure_words.hpp"
#include "sim/sweep/figure_text.hpp"

namespace vacancy::gui {

void SweepTable::set_results(const Sweep* sweep, std::shared_ptr<const SweepResults> results) {
  const bool more = sweep == sweep_ && results && results_ && results->shown == results_->shown &&
                    results->points.size() >= results_->points.size();
  if (!more) {
    beginResetModel();
    sweep_ = sweep;
    results_ = std::move(results);
    set_columns();
    endResetModel();
    return;
  }
  const int before = rowCount();
  const int after = static_cast<int>(results->points.size());
  if (after > before) beginInsertRows({}, before, after - 1);
  results_ = std::move(results);
  set_columns();
  if (after > before) endInsertRows();
  // More points can take others off the front.
  if (before > 0) Q_EMIT dataChanged(index(0, 0), index(before - 1, columnCount() - 1));
}

void SweepTable::set_columns() {
  columns_.clear();
  if (!sweep_ || !results_) return;
  const auto are_numbers = [&](std::size_t axis) {
    return std::all_of(results_->points.begin(), results_->points.end(),
                       [&](const PointResult& point) { return point.at[axis].number.has_value(); });
  };
  for (std::size_t i = 0; i < sweep_->axes.size(); ++i)
    columns_.push_back({Column::Kind::axis, i, are_numbers(i), 0});
  for (std::size_t i = 0; i < sweep_->figures.size(); ++i) {
    if (!results_->shown[i]) continue;
    double largest = 0;
    for (const PointResult& point : results_->points)
      largest = std::max(largest, point.figures[i].mean.value_or(0));
    columns_.push_back({Column::Kind::figure, i, true, largest});
  }
  columns_.push_back({Column::Kind::state});
  if (sweep_->pareto) columns_.push_back({Column::Kind::front});
}

int SweepTable::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !results_ ? 0 : static_cast<int>(results_->points.size());
}

int SweepTable::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(columns_.size());
}

int SweepTable::first_figure_column() const {
  return sweep_ ? static_cast<int>(sweep_->axes.size()) : 0;
}

int SweepTable::figure_columns() const {
  return static_cast<int>(std::count_if(columns_.begin(), columns_.end(), [](const Column& column) {
    return column.kind == Column::Kind::figure;
  }));
}

QVariant SweepTable::text(const PointResult& point, const Column& column) const {
  switch (column.kind) {
    case Column::Kind::axis:
      return qt(value_name(point.at[column.index]));
    case Column::Kind::figure:
      return qt(figure_text(point.figures[column.index], sweep_->figures[column.index].unit));
    case Column::Kind::state:
      return qt(std::string(enum_name(point.state)));
    case Column::Kind::front:
      return point.on_front ? QStringLiteral("✓") : QString();
  }
  return {};
}

QVariant SweepTable::sort_value(const PointResult& point, const Column& column) const {
  switch (column.kind) {
    case Column::Kind::axis:
      if (const auto number = point.at[column.index].number) return *number;
      break;
    case Column::Kind::figure:
      if (const auto mean = point.figures[column.index].mean) return *mean;
      return {};
    case Column::Kind::front:
      return point.on_front;
    case Column::Kind::state:
      break;
  }
  return text(point, column);
}

QVariant SweepTable::data(const QModelIndex& index, int role) const {
  if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
    return {};
  const PointResult& point = results_->points[static_cast<std::size_t>(index.row())];
  const Column& column = columns_[static_cast<std::size_t>(index.column())];
  const bool figure = column.kind == Column::Kind::figure;
  const bool number =
      figure || (column.kind == Column::Kind::axis && point.at[column.index].number);
  switch (role) {
    case Qt::DisplayRole:
      return text(point, column);
    case sort_role:
      return sort_value(point, column);
    case Qt::TextAlignmentRole:
      return QVariant(number ? Qt::AlignRight | Qt::AlignVCenter
                             : Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole:
      return point.reason.empty() ? QVariant() : qt(point.reason);
    case Qt::AccessibleTextRole:
      if (column.kind == Column::Kind::front)
        return point.on_front ? QStringLiteral("on the Pareto front") : QString();
      return text(point, column);
    case bar_role:
      if (figure && column.largest > 0 && point.figures[column.index].mean)
        return std::max(*point.figures[column.index].mean / column.largest, 0.0);
      return {};
    default:
      return {};
  }
}

/// In words; by its key as the sweep file has it.
QString SweepTable::heading(const Column& column, bool key) const {
  switch (column.kind) {
    case Column::Kind::axis:
      return qt(sweep_->axes[column.index]);
    case Column::Kind::figure: {
      const Figure& figure = sweep_->figures[column.index];
      return qt(key ? figure.key : heading_of(in_words(figure)));
    }
    case Column::Kind::state:
      return QStringLiteral("state");
    case Column::Kind::front:
      return QStringLiteral("front");
  }
  return {};
}

QVariant SweepTable::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || section < 0 || section >= columnCount()) return {};
  const Column& column = columns_[static_cast<std::size_t>(section)];
  if (role == Qt::TextAlignmentRole && column.numbers)
    return QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole)
    return heading(column, role == Qt::ToolTipRole);
  return {};
}

void SweepOrder::set_front_only(bool only) {
  front_only_ = only;
  invalidateFilter();
}

void SweepOrder::set_hidden(const HiddenValues& hidden) {
  hidden_ = hidden;
  invalidateFilter();
}

bool SweepOrder::lessThan(const QModelIndex& left, const QModelIndex& right) const {
  const QVariant a = left.data(SweepTable::sort_role), b = right.data(SweepTable::sort_role);
  const bool ascending = sortOrder() == Qt::AscendingOrder;
  if (!a.isValid() || !b.isValid()) {
    // What has no value comes last, whatever the order.
    if (a.isValid() == b.isValid()) return left.row() < right.row();
    return a.isValid() == ascending;
  }
  const bool numbers = a.typeId() != QMetaType::QString && b.typeId() != QMetaType::QString;
  if (numbers && a.toDouble() != b.toDouble()) return a.toDouble() < b.toDouble();
  if (!numbers && a.toString() != b.toString()) return a.toString() < b.toString();
  return ascending == (left.row() < right.row());
}

bool SweepOrder::filterAcceptsRow(int row, const QModelIndex&) const {
  const PointResult& point = static_cast<const SweepTable*>(sourceModel())->point(row);
  return !hidden_.hides(point) && (!front_only_ || point.on_front);
}

}  // namespace vacancy::gui

#include "moc_sweep_table.cpp"
