// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QObject>
#include <QTimer>
#include <QUndoStack>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gui/model/form/form_tree.hpp"
#include "gui/model/form/scenario_check.hpp"
#include "gui/model/form/value_changes.hpp"

namespace vacancy::gui {

/// The text of a scenario that is being edited, by fields or as JSON. Fields change nothing in it
/// but their own values. Every edit can be undone; edits of one field in a row are one.
class ScenarioDocument : public QObject {
  Q_OBJECT

 public:
  explicit ScenarioDocument(QObject* parent = nullptr);

  /// Takes the bytes of a file. Throws UserError if it cannot be read; a faulty scenario is no
  /// error, it can be mended here.
  void open(const std::filesystem::path& file);
  /// A scenario that is not in a file yet; its relative paths start at `folder`.
  void set_unsaved(std::string text, const std::filesystem::path& folder);
  /// Writes beside the file and renames, so that a full disk or a crash leaves the old one. Throws
  /// UserError; also where the file is not what was opened, unless `overwrite`.
  void save(bool overwrite = false);
  void save_as(const std::filesystem::path& file);

  const std::filesystem::path& file() const { return file_; }  // empty: none yet
  /// What messages call it.
  std::string name() const;
  const std::string& text() const { return text_; }
  const std::string& saved_text() const { return saved_; }
  bool modified() const { return text_ != saved_; }
  const CheckedScenario& checked() const { return checked_; }
  QUndoStack& history() { return history_; }

  /// Whether the key stands in the text.
  bool written(const FormField& field) const;
  /// What the field shows of the text; empty where it is not written.
  std::string entry(const FormField& field) const;
  /// A value that is typed. Without effect while the text is no JSON object.
  void set_entry(const FormField& field, std::string_view entry);
  void set_json(const FormField& field, std::string_view json);
  /// Takes the key out of the text.
  void reset(const FormField& field);
  /// Another text, as typed.
  void set_text(std::string text);
  /// The next edit is one of its own, also of the same field.
  void end_edit() { ++edit_; }

  /// In the order of the present text, keys that went last. Nothing while a text is no JSON.
  std::vector<ValueChange> changes() const;
  /// The line of the text that a pointer's value stands in, from 1.
  std::uint32_t line_of(std::string_view pointer) const;

  /// How long edits must rest before changed() is emitted.
  void set_debounce(int milliseconds) { debounce_.setInterval(milliseconds); }

 Q_SIGNALS:
  /// The text, and with it values and faults, is another.
  void text_changed();
  void modified_changed(bool modified);
  /// Edits rested, and the scenario can run: a small one may be run again.
  void changed();

 private:
  friend class TextEdit;

  void push(const std::string& pointer, std::string text);
  void apply(const std::string& text);
  void restart(std::string text, const std::filesystem::path& file,
               const std::filesystem::path& folder);
  void write(const std::filesystem::path& file);
  void check();
  void tell_modified();

  std::filesystem::path file_, folder_ = ".";
  std::string text_, saved_;
  CheckedScenario checked_;
  QUndoStack history_;
  QTimer debounce_;
  std::uint64_t edit_ = 0;
  bool told_modified_ = false;
};

}  // namespace vacancy::gui
