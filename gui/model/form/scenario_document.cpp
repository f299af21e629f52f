// SPDX-License-Identifier: Apache-2.0
#include "gui/model/form/scenario_document.hpp"

#include <utility>

#include "gui/model/form/field_entry.hpp"
#include "gui/model/form/json_edit.hpp"
#include "gui/model/whole_file.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

namespace {

constexpr int default_debounce = 250;  // milliseconds
constexpr int edit_command = 1;        // QUndoCommand::id

}  // namespace

/// From one text to another. Edits of one field in a row merge; if they come back to where they
/// began, nothing is left of them.
class TextEdit : public QUndoCommand {
 public:
  TextEdit(ScenarioDocument& document, std::string pointer, std::string after)
      : document_(document),
        pointer_(std::move(pointer)),
        edit_(document.edit_),
        before_(document.text_),
        after_(std::move(after)) {
    const QString what = QString::fromStdString(pointer_.empty() ? "text" : pointer_.substr(1));
    setText(QStringLiteral("change of ") + QString(what).replace('/', '.'));
  }

  void undo() override { document_.apply(before_); }
  void redo() override { document_.apply(after_); }
  int id() const override { return edit_command; }
  bool mergeWith(const QUndoCommand* other) override {
    const auto* next = static_cast<const TextEdit*>(other);  // the only command with this id
    if (next->pointer_ != pointer_ || next->edit_ != edit_) return false;
    after_ = next->after_;
    setObsolete(before_ == after_);
    return true;
  }

 private:
  ScenarioDocument& document_;
  std::string pointer_;
  std::uint64_t edit_;
  std::string before_, after_;
};

ScenarioDocument::ScenarioDocument(QObject* parent) : QObject(parent) {
  debounce_.setSingleShot(true);
  debounce_.setInterval(default_debounce);
  connect(&debounce_, &QTimer::timeout, this, [this] {
    if (checked_.can_run()) Q_EMIT changed();
  });
}

void ScenarioDocument::open(const std::filesystem::path& file) {
  restart(read_text_file(file), file, file.parent_path());
}

void ScenarioDocument::set_unsaved(std::string text, const std::filesystem::path& folder) {
  restart(std::move(text), {}, folder);
}

void ScenarioDocument::restart(std::string text, const std::filesystem::path& file,
                               const std::filesystem::path& folder) {
  file_ = file;
  folder_ = folder;
  saved_ = text;
  history_.clear();
  apply(text);
}

std::string ScenarioDocument::name() const {
  return file_.empty() ? "new scenario" : file_.string();
}

void ScenarioDocument::save(bool overwrite) {
  if (file_.empty()) throw UserError("The scenario is in no file yet; save it under a name.");
  if (!overwrite && std::filesystem::exists(file_) && read_text_file(file_) != saved_)
    throw UserError(file_.string() +
                    ": was changed by somebody else since it was opened. Save under another name, "
                    "or open it again.");
  write(file_);
}

void ScenarioDocument::save_as(const std::filesystem::path& file) {
  write(file);
}

void ScenarioDocument::write(const std::filesystem::path& file) {
  write_whole(QString::fromStdString(file.string()), QByteArray::fromStdString(text_));
  const bool moved = file != file_;
  file_ = file;
  folder_ = file.parent_path();
  saved_ = text_;
  history_.setClean();
  end_edit();
  if (moved) check();  // relative paths start elsewhere
  tell_modified();
}

bool ScenarioDocument::written(const FormField& field) const {
  return checked_.tree && find_node(*checked_.tree, field.pointer) != nullptr;
}

std::string ScenarioDocument::entry(const FormField& field) const {
  const JsonNode* node = checked_.tree ? find_node(*checked_.tree, field.pointer) : nullptr;
  return node ? entry_of(*node) : "";
}

void ScenarioDocument::set_entry(const FormField& field, std::string_view entry) {
  if (const auto json = json_of_entry(*field.key, entry))
    set_json(field, *json);
  else
    reset(field);
}

void ScenarioDocument::set_json(const FormField& field, std::string_view json) {
  if (!checked_.tree) return;
  push(field.pointer, with_value(text_, keys_of_pointer(field.pointer), json));
}

void ScenarioDocument::reset(const FormField& field) {
  if (!checked_.tree) return;
  push(field.pointer, without_value(text_, keys_of_pointer(field.pointer)));
}

void ScenarioDocument::set_text(std::string text) {
  push("", std::move(text));
}

void ScenarioDocument::push(const std::string& pointer, std::string text) {
  if (text == text_) return;
  history_.push(new TextEdit(*this, pointer, std::move(text)));
}

void ScenarioDocument::apply(const std::string& text) {
  text_ = text;
  check();
  tell_modified();
}

void ScenarioDocument::check() {
  checked_ = check_scenario(text_, name(), folder_);
  Q_EMIT text_changed();
  debounce_.start();
}

void ScenarioDocument::tell_modified() {
  if (std::exchange(told_modified_, modified()) != modified()) Q_EMIT modified_changed(modified());
}

std::vector<ValueChange> ScenarioDocument::changes() const {
  return value_changes(saved_, checked_.tree);
}

std::uint32_t ScenarioDocument::line_of(std::string_view pointer) const {
  return checked_.tree ? place_of(*checked_.tree, pointer).line : 1;
}

}  // namespace vacancy::gui

#include "moc_scenario_document.cpp"
