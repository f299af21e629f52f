// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QPlainTextEdit>
#include <vector>

#include "gui/model/form/scenario_document.hpp"

namespace vacancy::gui {

/// The scenario's text with line numbers; lines with faults are tinted and their sentences stand in
/// the tooltip. What is typed goes to the document, which also undoes it.
class JsonView final : public QPlainTextEdit {
  Q_OBJECT

 public:
  explicit JsonView(ScenarioDocument& document, QWidget* parent = nullptr);

  /// Lines of faults, from 1, ascending.
  const std::vector<int>& marked() const { return marked_; }
  /// Moves the cursor to a line and shows it.
  void go_to_line(int line);
  /// Paints the line that belongs to the field in the form.
  void show_line(int line);

 protected:
  bool event(QEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  friend class LineNumbers;

  int gutter_width() const;
  void paint_gutter(QPaintEvent* event);
  void refresh();
  void mark_lines();

  ScenarioDocument& document_;
  QWidget* gutter_;
  std::vector<int> marked_;
  int shown_line_ = 0;
  bool refreshing_ = false;
};

}  // namespace vacancy::gui
