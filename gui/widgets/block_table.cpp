// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/block_table.hpp"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QMouseEvent>
#include <QPainter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/model/announcer.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/paint/hatch.hpp"
#include "gui/paint/map_scene.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

/// A row's slots side by side, a chosen row with a bar at its left.
class StripDelegate final : public QStyledItemDelegate {
 public:
  StripDelegate(const BlockTableModel& model, QObject* parent)
      : QStyledItemDelegate(parent), model_(model) {}

  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    const Palette& p = palette_of(application_theme());
    if (index.column() != BlockTableModel::slot_strip) {
      QStyledItemDelegate::paint(painter, option, index);
      if (index.column() == 0 && (option.state & QStyle::State_Selected) != 0)
        painter->fillRect(QRect(option.rect.topLeft(), QSize(3, option.rect.height())),
                          QColor(p.accent));
      return;
    }
    if ((option.state & QStyle::State_Selected) != 0)
      painter->fillRect(option.rect, QColor(p.accent_tint));
    const std::vector<SlotView> views = model_.slots_of(index.row());
    if (views.empty()) return;
    const QRect box = option.rect.adjusted(6, 6, -6, -6);
    const auto n = static_cast<int>(views.size());
    const double scale = painter->device()->devicePixelRatioF();
    const Hatch hole(p, BlockClass::hole, scale), tail(p, BlockClass::tail, scale);
    const QColor live(p.of(model_.live_class(index.row())));
    painter->setBrushOrigin(box.topLeft());
    for (int i = 0; i < n; ++i) {
      const int left = box.left() + i * box.width() / n;
      const int right = box.left() + (i + 1) * box.width() / n;
      const QRect r(left, box.top(), std::max(1, right - left - (right - left > 3 ? 1 : 0)),
                    box.height());
      const SlotState state = views[static_cast<std::size_t>(i)].state;
      painter->fillRect(r, state == SlotState::live   ? QBrush(live)
                           : state == SlotState::hole ? hole.brush()
                                                      : tail.brush());
    }
  }

 private:
  const BlockTableModel& model_;
};

}  // namespace

void BlockTableModel::show(const Replica* replica, std::uint32_t sequence) {
  std::vector<Entry> entries;
  if (replica != nullptr)
    if (const ReplicaSequence* s = replica->sequence(sequence))
      for (std::uint32_t t = 0; t < s->tables.size(); ++t)
        for (std::uint32_t e = 0; e < s->tables[t].entries.size(); ++e)
          entries.push_back({t, e, s->tables[t].entries[e]});
  const bool same_rows = entries.size() == entries_.size() && sequence == sequence_;
  if (!same_rows) beginResetModel();
  replica_ = replica;
  sequence_ = sequence;
  entries_ = std::move(entries);
  if (!same_rows)
    endResetModel();
  else if (!entries_.empty())
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columns - 1));
}

int BlockTableModel::row_of(std::uint32_t id) const {
  for (std::size_t i = 0; i < entries_.size(); ++i)
    if (entries_[i].block == id) return static_cast<int>(i);
  return -1;
}

std::vector<SlotView> BlockTableModel::slots_of(int row) const {
  std::vector<SlotView> views;
  if (replica_ != nullptr && entry(row).block != null_entry)
    replica_->slots(entry(row).block, views);
  return views;
}

BlockClass BlockTableModel::live_class(int row) const {
  const std::uint32_t b = entry(row).block;
  if (replica_ == nullptr || b == null_entry) return BlockClass::live;
  const PoolView view = replica_->view();
  return live_class_of(view.flags[b], view.references[b]);
}

int BlockTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(entries_.size());
}

int BlockTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : columns;
}

QVariant BlockTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || replica_ == nullptr) return {};
  const Entry& e = entry(index.row());
  if (role == Qt::TextAlignmentRole) return static_cast<int>(Qt::AlignVCenter | Qt::AlignRight);
  if (role != Qt::DisplayRole && role != Qt::AccessibleTextRole) return {};
  const bool several = replica_->shape().tables() > 1;
  switch (index.column()) {
    case logical:
      return several ? QStringLiteral("%1:%2").arg(e.table).arg(grouped(e.entry))
                     : grouped(e.entry);
    case block:
      return e.block == null_entry ? QStringLiteral("–") : grouped(e.block);
    case live:
      return e.block == null_entry ? QString() : QString::number(replica_->view().live[e.block]);
    default:
      return {};
  }
}

QVariant BlockTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return static_cast<int>(section == slot_strip ? Qt::AlignLeft | Qt::AlignVCenter
                                                  : Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  const QString names[] = {tr("logical"), tr("block"), tr("slots"), tr("live")};
  return names[section];
}

BlockTableView::BlockTableView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(4);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(16, 0, 16, 0);
  title_ = new QLabel(this);
  title_->setFont(ui_font(13, true));
  sums_ = new QLabel(this);
  head->addWidget(title_);
  head->addStretch(1);
  head->addWidget(sums_);
  column->addLayout(head);
  table_ = new QTableView(this);
  table_->setModel(&model_);
  table_->setTabKeyNavigation(false);  // Tab goes on, arrows go through rows
  table_->setItemDelegate(new StripDelegate(model_, table_));
  table_->setShowGrid(false);
  table_->verticalHeader()->hide();
  table_->verticalHeader()->setDefaultSectionSize(24);
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  table_->horizontalHeader()->setSectionResizeMode(BlockTableModel::slot_strip,
                                                   QHeaderView::Stretch);
  table_->setColumnWidth(BlockTableModel::logical, 64);
  table_->setColumnWidth(BlockTableModel::block, 64);
  table_->setColumnWidth(BlockTableModel::live, 44);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setMouseTracking(true);
  table_->viewport()->installEventFilter(this);
  table_->setAccessibleName(tr("Block table"));
  column->addWidget(table_, 1);
  const auto choose = [this](const QModelIndex& index) {
    const std::uint32_t b = model_.entry(index.row()).block;
    if (b != null_entry) Q_EMIT chosen(b);
  };
  connect(table_, &QTableView::clicked, this, choose);
  connect(table_, &QTableView::activated, this, choose);
}

void BlockTableView::show_moment(const Replica* replica, std::uint32_t sequence,
                                 std::optional<std::uint32_t> chosen_block) {
  model_.show(replica, sequence);
  if (sequence == no_sequence || model_.rowCount() == 0) {
    title_->setText(sequence == no_sequence ? tr("No sequence chosen")
                                            : tr("Sequence %1 holds no blocks").arg(sequence));
    sums_->clear();
    return;
  }
  QString name = text_of(sequence_name(sequence));
  name[0] = name[0].toUpper();
  title_->setText(name);
  std::uint64_t blocks = 0, holes = 0;
  const PoolView view = replica->view();
  for (int row = 0; row < model_.rowCount(); ++row) {
    const std::uint32_t b = model_.entry(row).block;
    if (b == null_entry) continue;
    ++blocks;
    holes += static_cast<std::uint64_t>(view.fill[b] - view.live[b]);
  }
  sums_->setText(text_of(counted(blocks, "block") + " · " + counted(holes, "hole")));
  const int row = chosen_block ? model_.row_of(*chosen_block) : -1;
  if (row < 0) {
    table_->clearSelection();
  } else if (!table_->selectionModel()->isRowSelected(row, {})) {
    table_->selectRow(row);
    table_->scrollTo(model_.index(row, 0), QAbstractItemView::PositionAtCenter);
  }
}

bool BlockTableView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::MouseMove) {
    const QModelIndex at = table_->indexAt(static_cast<QMouseEvent*>(event)->position().toPoint());
    const bool there = at.isValid() && model_.entry(at.row()).block != null_entry;
    Q_EMIT hovered(there ? std::optional(model_.entry(at.row()).block) : std::nullopt);
  } else if (event->type() == QEvent::Leave) {
    Q_EMIT hovered(std::nullopt);
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace vacancy::gui

#include "moc_block_table.cpp"
