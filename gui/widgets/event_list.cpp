// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/event_list.hpp"

#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>
#include <climits>
#include <string>
#include <utility>

#include "gui/model/announcer.hpp"
#include "gui/paint/fonts.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {
namespace {

constexpr int mark_height = 37;

class MarkDelegate final : public QStyledItemDelegate {
 public:
  MarkDelegate(const EventListModel& model, const std::uint64_t& event, QObject* parent)
      : QStyledItemDelegate(parent), model_(model), event_(event) {}

  QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
    return {200, mark_height};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    painter->save();
    const Palette& p = palette_of(application_theme());
    const Mark& mark = model_.mark(index.row());
    const QRect r = option.rect;
    const bool past = mark.event < event_;
    const bool last = past && model_.row_at(event_) == index.row() + 1;
    if (last || (option.state & QStyle::State_MouseOver) != 0)
      painter->fillRect(r, QColor(p.accent_tint));
    if (last) painter->fillRect(QRect(r.topLeft(), QSize(3, r.height())), QColor(p.accent));
    draw_glyph(*painter, glyph_of(mark.kind), QPointF(r.left() + 17, r.center().y()), 9, p);
    const QRect text = r.adjusted(32, 2, -12, -2);
    painter->setFont(ui_font(11.5));
    painter->setPen(QColor(p.ink_3));
    painter->drawText(QRect(text.topLeft(), QSize(text.width(), 16)),
                      Qt::AlignLeft | Qt::AlignVCenter, text_of(seconds(mark.time_ns)));
    painter->drawText(QRect(text.topLeft(), QSize(text.width(), 16)),
                      Qt::AlignRight | Qt::AlignVCenter, text_of(sequence_name(mark.sequence)));
    painter->setFont(ui_font(12.5));
    painter->setPen(QColor(past ? p.ink : p.ink_2));
    painter->drawText(QRect(text.left(), text.top() + 15, text.width(), 18),
                      Qt::AlignLeft | Qt::AlignVCenter,
                      QFontMetrics(painter->font())
                          .elidedText(text_of(mark_text(mark)), Qt::ElideRight, text.width()));
    if (last) painter->fillRect(QRect(r.left(), r.bottom() - 1, r.width(), 2), QColor(p.ink));
    painter->restore();
  }

 private:
  const EventListModel& model_;
  const std::uint64_t& event_;
};

}  // namespace

Glyph glyph_of(MarkKind kind) {
  switch (kind) {
    case MarkKind::evict:
      return Glyph::evict;
    case MarkKind::reclaim:
      return Glyph::reclaim;
    case MarkKind::admit:
      return Glyph::admit;
    case MarkKind::finish:
      return Glyph::finish;
    case MarkKind::preempt:
    case MarkKind::out_of_memory:
    case MarkKind::reject:
      return Glyph::preempt;
    case MarkKind::skip:
      break;
  }
  return Glyph::other;
}

void EventListModel::show(std::shared_ptr<const Recording> recording) {
  beginResetModel();
  list_.reset();
  if (recording) list_.emplace(std::move(recording), filter_);
  rows_ = 0;
  endResetModel();
  read_more();
}

void EventListModel::set_filter(const EventFilter& filter) {
  filter_ = filter;
  if (!list_) return;
  beginResetModel();
  list_->set_filter(filter);
  rows_ = 0;
  endResetModel();
  read_more();
}

void EventListModel::read_more() {
  if (!list_) return;
  list_->update();
  const int rows = static_cast<int>(std::min<std::uint64_t>(list_->size(), INT_MAX));
  if (rows <= rows_) return;
  beginInsertRows({}, rows_, rows - 1);
  rows_ = rows;
  endInsertRows();
}

int EventListModel::row_at(std::uint64_t event) const {
  return list_ ? std::min(rows_, static_cast<int>(list_->happened(event))) : 0;
}

int EventListModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_;
}

QVariant EventListModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Mark& m = mark(index.row());
  const QString text = QStringLiteral("%1, %2: %3")
                           .arg(text_of(seconds(m.time_ns)), text_of(sequence_name(m.sequence)),
                                text_of(mark_text(m)));
  if (role == Qt::DisplayRole || role == Qt::AccessibleTextRole || role == Qt::ToolTipRole)
    return text;
  return {};
}

EventListView::EventListView(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(6);
  filter_ = new QLineEdit(this);
  filter_->setPlaceholderText(tr("Filter: kind, sequence, block"));
  filter_->setClearButtonEnabled(true);
  filter_->addAction(make_icon(Icon::search), QLineEdit::LeadingPosition);
  filter_->setAccessibleName(tr("Filter events"));
  auto* margin = new QVBoxLayout;
  margin->setContentsMargins(12, 0, 12, 0);
  margin->addWidget(filter_);
  fault_ = new QLabel(this);
  fault_->setWordWrap(true);
  fault_->hide();
  margin->addWidget(fault_);
  column->addLayout(margin);
  list_ = new QListView(this);
  list_->setModel(&model_);
  list_->setItemDelegate(new MarkDelegate(model_, event_, list_));
  list_->setUniformItemSizes(true);
  list_->setMouseTracking(true);
  list_->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list_->setAccessibleName(tr("Events"));
  column->addWidget(list_, 1);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    std::string fault;
    const auto filter = parse_filter(text.toStdString(), fault);
    fault_->setVisible(!filter);
    if (filter)
      model_.set_filter(*filter);
    else
      fault_->setText(
          tr("Not a kind or a sequence. Kinds: evict, reclaim, admit, finish, preempt, "
             "memory, reject, skip."));
    set_moment(event_);
  });
  const auto choose = [this](const QModelIndex& index) {
    const Mark& m = model_.mark(index.row());
    Q_EMIT sequence_chosen(m.sequence);
    Q_EMIT moment_chosen(m.event + 1);
  };
  connect(list_, &QListView::clicked, this, choose);
  connect(list_, &QListView::activated, this, choose);
}

void EventListView::show_run(std::shared_ptr<const Recording> recording) {
  model_.show(std::move(recording));
}

void EventListView::read_more() {
  model_.read_more();
}

void EventListView::set_moment(std::uint64_t event) {
  event_ = event;
  list_->viewport()->update();
  const int row = model_.row_at(event) - 1;
  if (row < 0) return list_->scrollToTop();
  const QModelIndex at = model_.index(row);
  const QRect where = list_->visualRect(at);
  if (!list_->viewport()->rect().adjusted(0, mark_height, 0, -mark_height).contains(where))
    list_->scrollTo(at, QAbstractItemView::PositionAtCenter);
}

}  // namespace vacancy::gui

#include "moc_event_list.cpp"
