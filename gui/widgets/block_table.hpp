// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QLabel>
#include <QStyledItemDelegate>
#include <QTableView>
#include <QWidget>
#include <cstdint>
#include <optional>
#include <vector>

#include "gui/model/replica.hpp"
#include "gui/paint/palette.hpp"

namespace vacancy::gui {

/// Entries of a sequence's tables, null ones too: logical block, physical block, slots, live slots.
class BlockTableModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  enum Column { logical, block, slot_strip, live, columns };
  struct Entry {
    std::uint32_t table, entry, block;  // block: null_entry where there is none
    bool operator==(const Entry&) const = default;
  };

  using QAbstractTableModel::QAbstractTableModel;

  /// The replica lives until the next call.
  void show(const Replica* replica, std::uint32_t sequence);
  std::uint32_t sequence() const { return sequence_; }
  const Entry& entry(int row) const { return entries_[static_cast<std::size_t>(row)]; }
  /// The row of a block; -1 if it is not in the table.
  int row_of(std::uint32_t id) const;
  std::vector<SlotView> slots_of(int row) const;
  BlockClass live_class(int row) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const Replica* replica_ = nullptr;
  std::uint32_t sequence_ = no_sequence;
  std::vector<Entry> entries_;
};

/// The table of the selected sequence, its chosen block marked.
class BlockTableView final : public QWidget {
  Q_OBJECT

 public:
  explicit BlockTableView(QWidget* parent = nullptr);

  void show_moment(const Replica* replica, std::uint32_t sequence,
                   std::optional<std::uint32_t> chosen);

 Q_SIGNALS:
  void chosen(std::uint32_t block);
  void hovered(std::optional<std::uint32_t> block);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  BlockTableModel model_;
  QLabel *title_, *sums_;
  QTableView* table_;
};

}  // namespace vacancy::gui
