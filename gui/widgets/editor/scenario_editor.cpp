// SPDX-License-Identifier: Apache-2.0
#include "gui/widgets/editor/scenario_editor.hpp"

#include <QHBoxLayout>
#include <QMenu>
#include <QResizeEvent>
#include <QVBoxLayout>
#include <QVariant>

#include "gui/model/form/qt_text.hpp"
#include "gui/paint/fonts.hpp"

namespace vacancy::gui {

namespace {

constexpr int side_by_side_from = 720;  // pixels
constexpr int padding = 12;
constexpr int least_width = 272;  // below, fields are cut

}  // namespace

ScenarioEditor::ScenarioEditor(ScenarioDocument& document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      form_(new SectionBox(document, form_tree())),
      scroll_(new QScrollArea),
      form_page_(new QWidget(this)),
      json_(new JsonView(document, this)),
      filter_(new QLineEdit),
      all_keys_(new QCheckBox(tr("All keys"))),
      sliders_(new QCheckBox(tr("Sliders"))),
      tabs_(new QTabWidget(this)),
      splitter_(new QSplitter(Qt::Horizontal, this)),
      status_(new QLabel),
      run_(new QPushButton(tr("Run again"))),
      changes_(new QPushButton(tr("Show changes"))) {
  filter_->setPlaceholderText(tr("Find a key"));
  filter_->setAccessibleName(tr("Find a key of the scenario"));
  filter_->setClearButtonEnabled(true);
  scroll_->setWidget(form_);
  scroll_->setWidgetResizable(true);
  scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  scroll_->setFrameShape(QFrame::NoFrame);
  scroll_->setFocusPolicy(Qt::NoFocus);
  run_->setProperty("primary", true);
  changes_->setMenu(new QMenu(changes_));
  status_->setWordWrap(true);
  status_->setFont(ui_font(12));

  auto* form_column = new QVBoxLayout(form_page_);
  form_column->setContentsMargins(padding, 8, 4, 0);
  auto* head = new QHBoxLayout;
  head->addWidget(filter_, 1);
  head->addWidget(all_keys_);
  head->addWidget(sliders_);
  form_column->addLayout(head);
  form_column->addWidget(scroll_, 1);

  auto* foot = new QVBoxLayout;
  foot->setContentsMargins(padding, 4, padding, 8);
  foot->addWidget(status_);
  auto* buttons = new QHBoxLayout;
  buttons->addWidget(run_, 1);
  buttons->addWidget(changes_, 1);
  foot->addLayout(buttons);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(tabs_, 1);
  column->addWidget(splitter_, 1);
  column->addLayout(foot);
  arrange(false);
  setMinimumWidth(least_width);

  connect(&document_, &ScenarioDocument::text_changed, this, &ScenarioEditor::refresh);
  connect(&document_, &ScenarioDocument::modified_changed, this, &ScenarioEditor::refresh);
  connect(form_, &SectionBox::folding_changed, this, &ScenarioEditor::refresh);
  connect(form_, &SectionBox::entered, this, [this](const QString& pointer) {
    json_->show_line(static_cast<int>(document_.line_of(pointer.toStdString())));
  });
  connect(filter_, &QLineEdit::textChanged, this, &ScenarioEditor::refresh);
  connect(all_keys_, &QCheckBox::toggled, this, &ScenarioEditor::refresh);
  connect(sliders_, &QCheckBox::toggled, this, &ScenarioEditor::refresh);
  connect(run_, &QPushButton::clicked, this, &ScenarioEditor::run_wanted);
  connect(changes_->menu(), &QMenu::aboutToShow, this, &ScenarioEditor::show_changes);
  refresh();
}

FormView ScenarioEditor::view() const {
  return {document_.changes(), filter_->text(), all_keys_->isChecked(), sliders_->isChecked()};
}

void ScenarioEditor::refresh() {
  const CheckedScenario& checked = document_.checked();
  form_->setEnabled(checked.tree.has_value());
  if (checked.tree) form_->refresh(view());
  const auto changed = document_.changes().size();
  const auto faults = checked.faults.size();
  if (faults > 0)
    status_->setText(faults == 1 ? tr("1 error to correct first")
                                 : tr("%1 errors to correct first").arg(faults));
  else if (checked.scenario && checked.scenario->obstacle)
    status_->setText(qt(*checked.scenario->obstacle));
  else if (changed > 0)
    status_->setText(changed == 1 ? tr("1 value differs from the file")
                                  : tr("%1 values differ from the file").arg(changed));
  else
    status_->setText(document_.modified() ? tr("Same values as the file") : tr("As in the file"));
  run_->setEnabled(checked.can_run());
  run_->setToolTip(checked.can_run() ? QString() : status_->text());
  changes_->setEnabled(changed > 0);
}

void ScenarioEditor::show_changes() {
  QMenu* menu = changes_->menu();
  menu->clear();
  for (const ValueChange& change : document_.changes()) {
    const QString before = change.in_file.empty() ? tr("not written") : qt(change.in_file);
    const QString now = change.now.empty() ? tr("not written") : qt(change.now);
    QAction* line = menu->addAction(tr("%1: %2 → %3").arg(qt(change.path), before, now));
    const std::string pointer = '/' + QString(qt(change.path)).replace('.', '/').toStdString();
    connect(line, &QAction::triggered, this, [this, pointer] { go_to(pointer); });
  }
}

FieldRow* ScenarioEditor::go_to(const std::string& pointer) {
  FieldRow* row = form_->open_row(pointer, view());
  if (!row) {
    json_->go_to_line(static_cast<int>(document_.line_of(pointer)));
    return nullptr;
  }
  refresh();
  if (!wide_) tabs_->setCurrentWidget(form_page_);
  row->control()->setFocus();
  scroll_->ensureWidgetVisible(row);
  return row;
}

void ScenarioEditor::arrange(bool wide) {
  if (wide == wide_) return;
  wide_ = wide;
  if (wide) {
    splitter_->addWidget(form_page_);
    splitter_->addWidget(json_);
    form_page_->show();
    json_->show();
  } else {
    tabs_->addTab(form_page_, tr("Form"));
    tabs_->addTab(json_, tr("JSON"));
    tabs_->setCurrentIndex(0);
  }
  tabs_->setVisible(!wide);
  splitter_->setVisible(wide);
}

void ScenarioEditor::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  arrange(event->size().width() >= side_by_side_from);
}

}  // namespace vacancy::gui

#include "moc_scenario_editor.cpp"
