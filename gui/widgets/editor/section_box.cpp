// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/editor/section_box.hpp"

#include <algorithm>

#include "gui/model/form/field_entry.hpp"
#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"

namespace vacancy::gui {

namespace {

constexpr double heading_size = 12;

bool has(const std::string& text, const QString& part) {
  return qt(text).contains(part, Qt::CaseInsensitive);
}

}  // namespace

std::optional<std::string> FormView::in_file(const std::string& path) const {
  for (const ValueChange& change : changes)
    if (change.path == path) return change.in_file;
  return std::nullopt;
}

SectionBox::SectionBox(ScenarioDocument& document, const FormSection& section, QWidget* parent)
    : QWidget(parent),
      document_(document),
      section_(section),
      title_(new QLabel(this)),
      unused_(new QLabel(this)),
      more_(new QToolButton(this)),
      rows_(section.fields.size()) {
  const std::string& name = section.schema->name;
  title_->setText(name.empty() ? tr("Scenario") : qt(title_of(name)));
  title_->setFont(ui_font(heading_size, true));
  title_->setToolTip(qt(section.schema->summary));
  unused_->setWordWrap(true);
  unused_->setFont(ui_font(heading_size));
  unused_->setForegroundRole(QPalette::PlaceholderText);
  more_->setToolButtonStyle(Qt::ToolButtonTextOnly);
  connect(more_, &QToolButton::clicked, this, [this] {
    opened_ = !opened_;
    Q_EMIT folding_changed();
  });

  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 8, 0, 0);
  column->setSpacing(2);
  auto* heading = new QHBoxLayout;
  heading->addWidget(title_);
  heading->addStretch();
  heading->addWidget(more_);
  column->addLayout(heading);
  column->addWidget(unused_);
  rows_layout_ = new QVBoxLayout;
  rows_layout_->setSpacing(0);
  column->addLayout(rows_layout_);
  inner_layout_ = new QVBoxLayout;
  inner_layout_->setContentsMargins(8, 0, 0, 0);
  inner_layout_->setSpacing(0);
  column->addLayout(inner_layout_);
  for (const FormSection& inner : section.sections) {
    auto* box = new SectionBox(document, inner, this);
    connect(box, &SectionBox::entered, this, &SectionBox::entered);
    connect(box, &SectionBox::folding_changed, this, &SectionBox::folding_changed);
    inner_layout_->addWidget(box);
    inner_.push_back(box);
  }
}

FieldRow* SectionBox::row(std::size_t field) {
  if (!rows_[field]) {
    auto* made = new FieldRow(document_, section_.fields[field], this);
    connect(made, &FieldRow::entered, this, &SectionBox::entered);
    int at = 0;  // rows keep the schema's order, which is that of the keyboard
    for (std::size_t i = 0; i < field; ++i)
      at += rows_[i] ? 1 : 0;
    rows_layout_->insertWidget(at, made);
    rows_[field] = made;
    QWidget* before = more_;
    for (FieldRow* each : rows_) {
      if (!each) continue;
      setTabOrder(before, each->control());
      before = each->control();
    }
  }
  return rows_[field];
}

bool SectionBox::shows(std::size_t index, const FormView& view) const {
  const FormField& field = section_.fields[index];
  if (!view.filter.isEmpty())
    return has(field.path, view.filter) || has(field.key->parameter.help, view.filter);
  return view.all_keys || opened_ || document_.written(field) || view.in_file(field.path) ||
         !document_.checked().faults_at(field.pointer).empty();
}

bool SectionBox::refresh(const FormView& view) {
  const CheckedScenario& checked = document_.checked();
  const bool used = is_used(section_, checked);
  const bool written = checked.tree && find_node(*checked.tree, section_.pointer) != nullptr;
  const bool folded = !used && !opened_ && view.filter.isEmpty();
  bool any = false;
  std::size_t hidden = 0;
  for (std::size_t i = 0; i < section_.fields.size(); ++i) {
    const bool shown = !folded && shows(i, view);
    if (shown) {
      row(i)->refresh(view.in_file(section_.fields[i].path));
      row(i)->set_sliding(view.sliding);
    } else {
      ++hidden;
    }
    if (rows_[i]) rows_[i]->setVisible(shown);
    any = any || shown;
  }
  refresh_lengths(view);
  for (SectionBox* inner : inner_) {
    const bool shown = !folded && inner->refresh(view);
    inner->setVisible(shown);
    any = any || shown;
  }
  unused_->setVisible(folded && written);
  unused_->setText(tr("not used: %1 is another").arg(qt(section_.chooser)));
  const bool foldable =
      view.filter.isEmpty() && !view.all_keys && (hidden > 0 || opened_) && (used || written);
  more_->setVisible(foldable);
  more_->setText(opened_ ? tr("fewer") : tr("%1 more").arg(hidden));
  more_->setAccessibleName(tr("%1: %2 keys that the file does not have")
                               .arg(title_->text(), opened_ ? tr("hide") : tr("show")));
  // A used section is there even if nothing of it is written, so that its keys can be found.
  return any || (view.filter.isEmpty() && ((used && !section_.fields.empty()) || written));
}

void SectionBox::refresh_lengths(const FormView& view) {
  const CheckedScenario& checked = document_.checked();
  for (std::size_t i = 0; i < section_.fields.size(); ++i) {
    const FormField& field = section_.fields[i];
    if (field.key->form != ValueForm::length) continue;
    const JsonNode* node = checked.tree ? find_node(*checked.tree, field.pointer) : nullptr;
    const JsonNode* named =
        node && node->kind == JsonNode::Kind::object ? node->find("distribution") : nullptr;
    const std::string wanted =
        named && named->kind == JsonNode::Kind::text ? named->text() : std::string();
    auto known = std::find_if(lengths_.begin(), lengths_.end(),
                              [&](const Length& each) { return each.field == i; });
    if (known != lengths_.end() && known->distribution != wanted) {
      known->box->hide();
      known->box->deleteLater();
      lengths_.erase(known);
      known = lengths_.end();
    }
    if (wanted.empty()) continue;
    if (known == lengths_.end()) {
      auto form = std::make_unique<FormSection>(length_section(field, wanted));
      if (!form->schema) continue;
      auto* box = new SectionBox(document_, *form, this);
      box->title_->setText(qt(title_of(field.key->parameter.name)));
      connect(box, &SectionBox::entered, this, &SectionBox::entered);
      connect(box, &SectionBox::folding_changed, this, &SectionBox::folding_changed);
      inner_layout_->addWidget(box);
      lengths_.push_back({i, wanted, std::move(form), box});
      known = lengths_.end() - 1;
    }
    known->box->refresh(view);
    // The keys are rows of their own; the object as text would say them twice.
    if (rows_[i]) rows_[i]->hide();
  }
}

std::vector<FieldRow*> SectionBox::rows() const {
  std::vector<FieldRow*> all;
  for (FieldRow* each : rows_)
    if (each) all.push_back(each);
  const auto add = [&](const SectionBox& box) {
    const auto more = box.rows();
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const SectionBox* inner : inner_)
    add(*inner);
  for (const Length& length : lengths_)
    add(*length.box);
  return all;
}

FieldRow* SectionBox::open_row(const std::string& pointer, const FormView& view) {
  for (std::size_t i = 0; i < section_.fields.size(); ++i) {
    if (section_.fields[i].pointer != pointer) continue;
    if (!shows(i, view) || !is_used(section_, document_.checked())) {
      opened_ = true;
      Q_EMIT folding_changed();
    }
    return row(i);
  }
  for (SectionBox* inner : inner_)
    if (FieldRow* found = inner->open_row(pointer, view)) return found;
  for (const Length& length : lengths_)
    if (FieldRow* found = length.box->open_row(pointer, view)) return found;
  return nullptr;
}

}  // namespace vacancy::gui

#include "moc_section_box.cpp"
