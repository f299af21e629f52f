// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractTableModel>
#include <QLabel>
#include <QTableView>
#include <QTreeWidget>
#include <QWidget>
#include <cstdint>
#include <vector>

#include "gui/model/replica.hpp"

namespace vacancy::gui {

/// Free blocks in the order in which they will be taken.
class FreeQueueModel final : public QAbstractTableModel {
  Q_OBJECT

 public:
  static constexpr std::size_t most = 2000;  // rows; the rest is counted

  using QAbstractTableModel::QAbstractTableModel;
  void show(const Replica* replica);
  std::uint32_t block(int row) const { return blocks_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<std::uint32_t> blocks_;
  std::vector<std::uint8_t> cached_;
  std::vector<std::int64_t> changed_;
};

class FreeQueueView final : public QWidget {
  Q_OBJECT

 public:
  explicit FreeQueueView(QWidget* parent = nullptr);
  void show_moment(const Replica* replica);

 Q_SIGNALS:
  void chosen(std::uint32_t block);

 private:
  FreeQueueModel model_;
  QLabel* title_;
  QTableView* table_;
};

/// Who shares which blocks: runs of blocks that the same sequences hold, a child behind its parent.
class PrefixTreeView final : public QWidget {
  Q_OBJECT

 public:
  explicit PrefixTreeView(QWidget* parent = nullptr);
  /// Reads it when it is seen.
  void show_moment(const Replica* replica);

 Q_SIGNALS:
  void chosen(std::uint32_t block);

 protected:
  void showEvent(QShowEvent*) override;

 private:
  void read();

  const Replica* replica_ = nullptr;
  std::uint64_t read_event_ = UINT64_MAX;
  QLabel* title_;
  QTreeWidget* tree_;
};

/// The shared prefixes of all sequences' first tables. A node is a run of blocks with the same
/// holders; nodes are in preorder.
struct PrefixNode {
  std::vector<std::uint32_t> blocks;
  std::vector<std::uint32_t> sequences;
  std::size_t parent = SIZE_MAX;
};
std::vector<PrefixNode> prefix_nodes(const Replica& replica);

}  // namespace vacancy::gui
