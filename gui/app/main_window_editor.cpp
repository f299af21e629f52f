// SPDX-License-Identifier: Apache-2.0
// The scenario that is edited, saved and run again; sweeps; lessons.
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <memory>
#include <optional>
#include <utility>

#include "gui/app/app_settings.hpp"
#include "gui/app/examples.hpp"
#include "gui/app/main_window.hpp"
#include "gui/widgets/text.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

void MainWindow::make_editor() {
  connect(editor_, &ScenarioEditor::run_wanted, this, &MainWindow::run_document);
  connect(document_, &ScenarioDocument::modified_changed, this, &MainWindow::update_title);
  const auto on = [&](const char* id, auto&& act) {
    connect((*commands_)[id], &QAction::triggered, this, std::forward<decltype(act)>(act));
  };
  on("new", [this] {
    QFile first(examples_folder() + QStringLiteral("/seed/evict_14k_of_16k.json"));
    const QByteArray text = first.open(QIODevice::ReadOnly) ? first.readAll() : QByteArray("{}");
    end_comparison();
    document_->set_unsaved(text.toStdString(), ".");
    run_document();
    show_dock(QStringLiteral("scenario"));
  });
  on("save", [this] { save_document(false); });
  on("save_as", [this] { save_document(true); });
  for (const bool undo : {true, false}) {
    QAction* action = (*commands_)[undo ? "undo" : "redo"];
    action->setEnabled(false);
    connect(action, &QAction::triggered, &document_->history(),
            undo ? &QUndoStack::undo : &QUndoStack::redo);
    connect(&document_->history(), undo ? &QUndoStack::canUndoChanged : &QUndoStack::canRedoChanged,
            action, &QAction::setEnabled);
  }
}

void MainWindow::run_document() {
  const QString path = QString::fromStdString(document_->file().string());
  RunRequest request = run_of(path.isEmpty() ? tr("new scenario") : path);
  request.text = document_->text();
  session_.open(std::move(request));
}

void MainWindow::save_document(bool ask) {
  try {
    QString path = QString::fromStdString(document_->file().string());
    if (ask || path.isEmpty()) {
      path = QFileDialog::getSaveFileName(this, tr("Save the scenario"), path,
                                          tr("Scenarios (*.json)"));
      if (path.isEmpty()) return;
      document_->save_as(path.toStdString());
      remember(path);
    } else {
      document_->save();
    }
    update_title();
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error, tr("Not saved."),
                           {QString::fromUtf8(fault.what())});
  }
}

bool MainWindow::open_sweep(const QString& path) {
  bool is_sweep = false;
  try {
    is_sweep = is_sweep_text(read_text_file(path.toStdString()));
    if (!is_sweep) {
      document_->open(path.toStdString());
      return false;
    }
    if (sweep_ == nullptr) {
      sweep_ = new SweepSession(this);
      sweep_view_ = new SweepView(*sweep_, pages_);
      pages_->addWidget(sweep_view_);
      connect(sweep_view_, &SweepView::scenario_wanted, this,
              [this](const QString& text, const QString&) {
                document_->set_unsaved(text.toStdString(), sweep_->file().parent_path());
                run_document();
              });
    }
    sweep_->open(path.toStdString());
    show_docks(false);
    pages_->setCurrentWidget(sweep_view_);
    status_->set_note(tr("A sweep. Its finished runs are kept beside the file."));
    return true;
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error,
                           tr("%1 cannot be opened.").arg(QFileInfo(path).fileName()),
                           QString::fromUtf8(fault.what()).split('\n', Qt::SkipEmptyParts));
    return is_sweep;
  }
}

void MainWindow::make_lessons() {
  settings_ = std::make_unique<QSettings>(app_settings().fileName(), QSettings::IniFormat);
  progress_ = std::make_unique<SettingsProgress>(*settings_);
  try {
    shelf_ = std::make_unique<LessonShelf>(
        (examples_folder() + QStringLiteral("/lessons")).toStdString());
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error, tr("The lessons cannot be read."),
                           {QString::fromUtf8(fault.what())});
    return;
  }
  connect(start_page_, &StartPage::open_lesson, this,
          [this](const QString& number) { open_lesson(number.toUInt(), std::nullopt); });
}

std::vector<std::uint32_t> MainWindow::lessons() const {
  std::vector<std::uint32_t> numbers;
  if (shelf_)
    for (const Lesson& lesson : shelf_->lessons())
      numbers.push_back(lesson.number);
  return numbers;
}

void MainWindow::open_lesson(std::uint32_t number, std::optional<std::uint64_t> seed) {
  const Lesson* lesson = shelf_ ? shelf_->find(number) : nullptr;
  if (lesson == nullptr) return show_start_page();
  end_comparison();
  // The page before it refers to its player.
  delete lesson_page_;
  player_ = std::make_unique<LessonPlayer>(*lesson, shelf_->glossary(), seed.value_or(lesson->seed),
                                           seed ? nullptr : progress_.get());
  lesson_page_ = new LessonPage(*player_, pages_);
  pages_->addWidget(lesson_page_);
  connect(lesson_page_, &LessonPage::all_lessons_wanted, this, &MainWindow::show_start_page);
  // The page asks from inside itself: it goes afterwards.
  connect(
      lesson_page_, &LessonPage::next_lesson_wanted, this,
      [this, number] { open_lesson(number + 1, std::nullopt); }, Qt::QueuedConnection);
  connect(
      lesson_page_, &LessonPage::seed_wanted, this,
      [this, number](quint64 other) { open_lesson(number, other); }, Qt::QueuedConnection);
  connect(lesson_page_, &LessonPage::free_play_wanted, this, [this](const QString& scenario) {
    document_->set_unsaved(scenario.toStdString(), player_->lesson().folder);
    run_document();
  });
  show_docks(false);
  pages_->setCurrentWidget(lesson_page_);
  status_->set_note(tr("Lesson %1: %2").arg(number).arg(text_of(lesson->title)));
  status_->set_position(tr("seed %1").arg(player_->seed()));
  update_title();
}

void MainWindow::list_lessons() {
  if (!shelf_) return;
  const Lesson* next = shelf_->next(*progress_);
  std::vector<StartItem> items;
  for (const Lesson& lesson : shelf_->lessons()) {
    StartItem item;
    item.key = QString::number(lesson.number);
    item.title = QStringLiteral("%1  %2").arg(item.key, text_of(lesson.title));
    item.text = text_of(lesson.goal);
    item.done = LessonPlayer::done(lesson, *progress_);
    item.next = &lesson == next;
    item.result = item.done ? tr("done") : item.next ? tr("continue here") : QString();
    items.push_back(std::move(item));
  }
  start_page_->set_lessons(items);
}

}  // namespace vacancy::gui
