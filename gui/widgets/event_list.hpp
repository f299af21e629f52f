// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QAbstractListModel>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QWidget>
#include <cstdint>
#include <memory>
#include <optional>

#include "gui/model/event_list.hpp"
#include "gui/paint/icons.hpp"

namespace vacancy::gui {

Glyph glyph_of(MarkKind kind);
/// What stands out in a run, in order, as far as it is recorded.
class EventListModel final : public QAbstractListModel {
  Q_OBJECT

 public:
  using QAbstractListModel::QAbstractListModel;

  void show(std::shared_ptr<const Recording> recording);
  void set_filter(const EventFilter& filter);
  /// The run went on.
  void read_more();
  const Mark& mark(int row) const { return list_->row(static_cast<std::uint64_t>(row)); }
  /// The first row that has not happened after so many events; rowCount() if there is none.
  int row_at(std::uint64_t event) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;

 private:
  std::optional<EventList> list_;
  EventFilter filter_;
  int rows_ = 0;  // that views know of
};

class EventListView final : public QWidget {
  Q_OBJECT

 public:
  explicit EventListView(QWidget* parent = nullptr);

  void show_run(std::shared_ptr<const Recording> recording);
  void read_more();
  /// The line between what has happened and what has not.
  void set_moment(std::uint64_t event);
  QLineEdit* filter() const { return filter_; }

 Q_SIGNALS:
  /// The moment after so many events.
  void moment_chosen(std::uint64_t event);
  void sequence_chosen(std::uint32_t sequence);

 private:
  EventListModel model_;
  QLineEdit* filter_;
  QLabel* fault_;
  QListView* list_;
  std::uint64_t event_ = 0;
};

}  // namespace vacancy::gui
