// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/pool_lists.hpp"

#include <QHeaderView>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "gui/paint/fonts.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int to_right = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
constexpr int to_left = static_cast<int>(Qt::AlignLeft | Qt::AlignVCenter);

}  // namespace

void FreeQueueModel::show(const Replica* replica) {
  beginResetModel();
  blocks_.clear();
  cached_.clear();
  changed_.clear();
  if (replica != nullptr && replica->shape().has_queue) {
    blocks_ = replica->free_queue(most);
    const PoolView view = replica->view();
    for (const std::uint32_t b : blocks_) {
      cached_.push_back((view.flags[b] & BlockFlag::cached) != 0);
      changed_.push_back(view.changed_ns[b]);
    }
  }
  endResetModel();
}

int FreeQueueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(blocks_.size());
}

int FreeQueueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : 4;
}

QVariant FreeQueueModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto i = static_cast<std::size_t>(index.row());
  if (role == Qt::TextAlignmentRole) return index.column() == 2 ? to_left : to_right;
  if (role != Qt::DisplayRole) return {};
  switch (index.column()) {
    case 0:
      return grouped(i + 1);
    case 1:
      return grouped(blocks_[i]);
    case 2:
      return cached_[i] != 0 ? tr("cached") : tr("empty");
    default:
      return changed_[i] < 0 ? tr("never used") : text_of(seconds(changed_[i]));
  }
}

QVariant FreeQueueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return section == 2 ? to_left : to_right;
  if (role != Qt::DisplayRole) return {};
  const QString names[] = {tr("next"), tr("block"), tr("contents"), tr("last event")};
  return names[section];
}

FreeQueueView::FreeQueueView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  title_ = new QLabel(this);
  title_->setFont(ui_font(13, true));
  title_->setContentsMargins(16, 0, 16, 0);
  column->addWidget(title_);
  table_ = new QTableView(this);
  table_->setModel(&model_);
  table_->setTabKeyNavigation(false);  // Tab goes on, arrows go through rows
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAccessibleName(tr("Free queue"));
  column->addWidget(table_, 1);
  const auto choose = [this](const QModelIndex& at) { Q_EMIT chosen(model_.block(at.row())); };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_, &QTableView::activated, this, choose);
}

void FreeQueueView::show_moment(const Replica* replica) {
  model_.show(replica);
  if (replica == nullptr) {
    title_->setText(tr("No blocks to show"));
  } else if (!replica->shape().has_queue) {
    title_->setText(tr("This engine keeps no queue of blocks"));
  } else {
    const std::uint64_t free = replica->figures().free_blocks();
    QString text = text_of(counted(free, "free block"));
    if (free > FreeQueueModel::most)
      text += tr(", the first %1").arg(grouped(FreeQueueModel::most));
    title_->setText(text);
  }
}

std::vector<PrefixNode> prefix_nodes(const Replica& replica) {
  struct Walker {
    std::uint32_t sequence;
    const std::vector<std::uint32_t>* entries;
  };
  std::vector<Walker> all;
  for (const auto& [id, sequence] : replica.sequences())
    if (!sequence->tables.empty() && !sequence->tables.front().entries.empty())
      all.push_back({id, &sequence->tables.front().entries});
  std::vector<PrefixNode> nodes;
  // Depth first, with a stack of its own: prefixes can be long.
  struct Task {
    std::vector<Walker> walkers;
    std::size_t at, parent;
  };
  std::vector<Task> tasks{{std::move(all), 0, SIZE_MAX}};
  while (!tasks.empty()) {
    Task task = std::move(tasks.back());
    tasks.pop_back();
    std::map<std::uint32_t, std::vector<Walker>> by_block;
    for (const Walker& w : task.walkers)
      if (task.at < w.entries->size()) by_block[(*w.entries)[task.at]].push_back(w);
    for (auto group = by_block.rbegin(); group != by_block.rend(); ++group) {
      const auto block = group->first;
      auto& walkers = group->second;
      if (walkers.size() < 2 || block == null_entry) continue;
      PrefixNode node;
      node.parent = task.parent;
      for (const Walker& w : walkers)
        node.sequences.push_back(w.sequence);
      // As far as all of them go together.
      std::size_t at = task.at;
      const auto together = [&] {
        for (const Walker& w : walkers)
          if (at >= w.entries->size() || (*w.entries)[at] != (*walkers.front().entries)[at])
            return false;
        return true;
      };
      for (; together(); ++at)
        node.blocks.push_back((*walkers.front().entries)[at]);
      nodes.push_back(std::move(node));
      tasks.push_back({std::move(walkers), at, nodes.size() - 1});
    }
  }
  return nodes;
}

PrefixTreeView::PrefixTreeView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  title_ = new QLabel(this);
  title_->setFont(ui_font(13, true));
  title_->setContentsMargins(16, 0, 16, 0);
  title_->setWordWrap(true);
  column->addWidget(title_);
  tree_ = new QTreeWidget(this);
  tree_->setColumnCount(3);
  tree_->setHeaderLabels({tr("shared blocks"), tr("blocks"), tr("sequences")});
  tree_->header()->setSectionResizeMode(0, QHeaderView::Stretch);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->resizeSection(1, 68);
  tree_->header()->resizeSection(2, 92);
  for (const int number : {1, 2})
    tree_->headerItem()->setTextAlignment(number, Qt::AlignRight | Qt::AlignVCenter);
  tree_->setAccessibleName(tr("Prefix tree"));
  column->addWidget(tree_, 1);
  const auto choose = [this](QTreeWidgetItem* item) {
    Q_EMIT chosen(item->data(0, Qt::UserRole).toUInt());
  };
  connect(tree_, &QTreeWidget::itemClicked, this, choose);
  connect(tree_, &QTreeWidget::itemActivated, this, choose);
}

void PrefixTreeView::show_moment(const Replica* replica) {
  replica_ = replica;
  if (isVisible()) read();
}

void PrefixTreeView::showEvent(QShowEvent*) {
  read();
}

void PrefixTreeView::read() {
  if (replica_ != nullptr && replica_->event() == read_event_) return;
  tree_->clear();
  if (replica_ == nullptr) {
    title_->setText(tr("No blocks to show"));
    return;
  }
  read_event_ = replica_->event();
  const std::vector<PrefixNode> nodes = prefix_nodes(*replica_);
  std::vector<QTreeWidgetItem*> items;
  std::uint64_t blocks = 0;
  for (const PrefixNode& node : nodes) {
    blocks += node.blocks.size();
    auto* item = node.parent == SIZE_MAX ? new QTreeWidgetItem(tree_)
                                         : new QTreeWidgetItem(items[node.parent]);
    const auto [least, most] = std::minmax_element(node.blocks.begin(), node.blocks.end());
    item->setText(0, text_of(range(*least, *most)));
    item->setText(1, grouped(node.blocks.size()));
    item->setText(2, grouped(node.sequences.size()));
    item->setTextAlignment(1, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(2, Qt::AlignRight | Qt::AlignVCenter);
    item->setData(0, Qt::UserRole, node.blocks.front());
    QStringList names;
    for (std::size_t i = 0; i < std::min<std::size_t>(12, node.sequences.size()); ++i)
      names.append(QString::number(node.sequences[i]));
    item->setToolTip(0, tr("held by sequences %1%2")
                            .arg(names.join(QStringLiteral(", ")),
                                 node.sequences.size() > 12 ? QStringLiteral(" …") : QString()));
    items.push_back(item);
  }
  tree_->expandAll();
  title_->setText(nodes.empty() ? tr("No two sequences share a block now")
                                : text_of(counted(blocks, "shared block")));
}

}  // namespace vacancy::gui

#include "moc_pool_lists.cpp"
