// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>
#include <QWidget>
#include <memory>
#include <vector>

#include "gui/widgets/editor/field_row.hpp"

namespace vacancy::gui {

/// What rows need to know of the whole document.
struct FormView {
  std::vector<ValueChange> changes;
  QString filter;  // of names and help; empty: none
  bool all_keys = false, sliding = false;

  std::optional<std::string> in_file(const std::string& path) const;
};

/// An object of the scenario: keys that are written or faulty, the others behind a button, and the
/// objects in it. A block of a choice that is not taken is folded away to a line, and only if the
/// file has it. Rows are made when they are first shown.
class SectionBox final : public QWidget {
  Q_OBJECT

 public:
  SectionBox(ScenarioDocument& document, const FormSection& section, QWidget* parent = nullptr);

  /// Whether anything of it is shown.
  bool refresh(const FormView& view);
  const FormSection& section() const { return section_; }
  std::vector<FieldRow*> rows() const;
  /// The row of a key, shown and its section opened; null where it has none here.
  FieldRow* open_row(const std::string& pointer, const FormView& view);

 Q_SIGNALS:
  void entered(const QString& pointer);
  /// More or fewer rows are wanted.
  void folding_changed();

 private:
  bool shows(std::size_t field, const FormView& view) const;
  FieldRow* row(std::size_t field);
  void refresh_lengths(const FormView& view);

  ScenarioDocument& document_;
  const FormSection& section_;
  QLabel *title_, *unused_;
  QToolButton* more_;
  QVBoxLayout *rows_layout_, *inner_layout_;
  std::vector<FieldRow*> rows_;  // by field; null: not made yet
  std::vector<SectionBox*> inner_;
  /// Keys of lengths in object form, which depend on their distribution.
  struct Length {
    std::size_t field;
    std::string distribution;
    std::unique_ptr<FormSection> form;
    SectionBox* box;
  };
  std::vector<Length> lengths_;
  bool opened_ = false;
};

}  // namespace vacancy::gui
