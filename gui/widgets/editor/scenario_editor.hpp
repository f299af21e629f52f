// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollArea>
#include <QSplitter>
#include <QTabWidget>
#include <QWidget>

#include "gui/widgets/editor/json_view.hpp"
#include "gui/widgets/editor/section_box.hpp"

namespace vacancy::gui {

/// A scenario as a form and as JSON, in tabs where it is narrow and side by side where it is wide.
/// What is edited in one shows in the other at once.
class ScenarioEditor final : public QWidget {
  Q_OBJECT

 public:
  explicit ScenarioEditor(ScenarioDocument& document, QWidget* parent = nullptr);

  ScenarioDocument& document() const { return document_; }
  JsonView& json() const { return *json_; }
  /// The row of a key, shown and with the keyboard; null where it has none.
  FieldRow* go_to(const std::string& pointer);
  /// Rows that were made so far.
  std::vector<FieldRow*> rows() const { return form_->rows(); }
  QString status_text() const { return status_->text(); }

 Q_SIGNALS:
  void run_wanted();

 protected:
  void resizeEvent(QResizeEvent* event) override;

 private:
  void refresh();
  void show_changes();
  void arrange(bool wide);
  FormView view() const;

  ScenarioDocument& document_;
  SectionBox* form_;
  QScrollArea* scroll_;
  QWidget* form_page_;
  JsonView* json_;
  QLineEdit* filter_;
  QCheckBox *all_keys_, *sliders_;
  QTabWidget* tabs_;
  QSplitter* splitter_;
  QLabel* status_;
  QPushButton *run_, *changes_;
  bool wide_ = true;
};

}  // namespace vacancy::gui
