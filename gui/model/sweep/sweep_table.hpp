// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "gui/model/sweep/axis_values.hpp"
#include "sim/sweep/results.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy::gui {

/// A point a row: its coordinates, its figures, its state, and where the sweep has goals whether it
/// is on the Pareto front.
class SweepTable : public QAbstractTableModel {
  Q_OBJECT

 public:
  /// A number or a text to sort by; invalid where there is none.
  static constexpr int sort_role = Qt::UserRole;
  /// The share of a column's largest value, 0 … 1, for a bar; invalid where there is none.
  static constexpr int bar_role = Qt::UserRole + 1;

  explicit SweepTable(QObject* parent = nullptr) : QAbstractTableModel(parent) {}

  /// `sweep` outlives it, or another one is set. More points of the same sweep join the rows that
  /// are there.
  void set_results(const Sweep* sweep, std::shared_ptr<const SweepResults> results);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation,
                      int role = Qt::DisplayRole) const override;

  /// Where the columns of figures begin, and how many there are.
  int first_figure_column() const;
  int figure_columns() const;

  const PointResult& point(int row) const { return results_->points[std::size_t(row)]; }

 private:
  struct Column {
    enum class Kind { axis, figure, state, front };
    Kind kind;
    std::size_t index = 0;
    bool numbers = false;  // all that is in it
    double largest = 0;    // of a figure
  };

  void set_columns();
  QVariant text(const PointResult& point, const Column& column) const;
  QVariant sort_value(const PointResult& point, const Column& column) const;

  QString heading(const Column& column, bool key) const;

  const Sweep* sweep_ = nullptr;
  std::shared_ptr<const SweepResults> results_;
  std::vector<Column> columns_;
};

/// Its rows in the order of a column, those without a value last; without those that a value of
/// theirs hides, and if wanted the front alone.
class SweepOrder : public QSortFilterProxyModel {
  Q_OBJECT

 public:
  explicit SweepOrder(QObject* parent = nullptr) : QSortFilterProxyModel(parent) {}
  void set_front_only(bool only);
  void set_hidden(const HiddenValues& hidden);

 protected:
  bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  bool front_only_ = false;
  HiddenValues hidden_;
};

}  // namespace vacancy::gui
