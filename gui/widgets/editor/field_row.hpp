// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSlider>
#include <QWidget>
#include <optional>

#include "gui/model/form/scenario_document.hpp"
#include "gui/model/form/slider_scale.hpp"
#include "gui/widgets/editor/entry_box.hpp"

namespace vacancy::gui {

/// One key of the scenario: its name, a control of its type, what it was in the file, and what is
/// wrong with it.
class FieldRow final : public QWidget {
  Q_OBJECT

 public:
  /// The document outlives it.
  FieldRow(ScenarioDocument& document, const FormField& field, QWidget* parent = nullptr);

  const FormField& field() const { return field_; }
  QWidget* control() const { return control_; }
  /// Shows what the document has; `in_file` where that is another value.
  void refresh(const std::optional<std::string>& in_file);
  bool faulty() const { return faulty_; }
  QString fault_text() const { return fault_->text(); }
  /// A slider below a number, for trying values.
  void set_sliding(bool sliding);

 Q_SIGNALS:
  /// The keyboard came here: the JSON beside shows the key's line.
  void entered(const QString& pointer);

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;

 private:
  QWidget* make_control();
  QWidget* make_choice();
  void type(const QString& entry);
  void show_value(const QString& entry, const QString& effective, bool written);
  void place_slider(const QString& effective);
  void describe();

  ScenarioDocument& document_;
  const FormField field_;
  QLabel *name_, *note_, *fault_;
  QWidget* control_;
  EntryBox* entry_ = nullptr;
  QComboBox* choice_ = nullptr;
  QCheckBox* check_ = nullptr;
  QLineEdit* text_ = nullptr;
  QSlider* slider_ = nullptr;
  std::optional<SliderScale> scale_;
  bool faulty_ = false, changed_ = false, sliding_ = false;
};

}  // namespace vacancy::gui
