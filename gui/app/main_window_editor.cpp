// SPDX-License-Identifier: Apache-2.0
// The scenario that is edited, saved and run again; sweeps; lessons.
#include <QCoreApplication>
#include <QFile>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "gui/app/app_settings.hpp"
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
    unsaved_name_ = tr("New scenario");
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
  RunRequest request = run_of(path.isEmpty() ? unsaved_name_ : path);
  request.text = document_->text();
  session_.open(std::move(request));
}

void MainWindow::edit(const RunRequest& request, const std::optional<std::string>& text) {
  const std::optional<std::string>& wanted = text ? text : request.text;
  try {
    if (std::filesystem::is_regular_file(request.file)) {
      document_->open(request.file);
      if (wanted) document_->set_text(*wanted);
    } else if (wanted) {
      unsaved_name_ = QString::fromStdString(request.file.string());
      document_->set_unsaved(*wanted, request.file.parent_path());
    }
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error, tr("The editor keeps the other scenario."),
                           {QString::fromUtf8(fault.what())});
  }
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
      connect(sweep_view_, &SweepView::export_wanted, this, &MainWindow::export_sweep);
      connect(sweep_view_, &SweepView::summary_changed, this, [this] {
        if (pages_->currentWidget() == sweep_view_) status_->set_note(sweep_view_->summary());
      });
      connect(sweep_view_, &SweepView::scenario_wanted, this,
              [this](const QString& text, const QString& point) {
                unsaved_name_ = point;
                document_->set_unsaved(text.toStdString(), sweep_->file().parent_path());
                run_document();
              });
    }
    sweep_->open(path.toStdString());
    show_docks(false);
    pages_->setCurrentWidget(sweep_view_);
    status_->set_note(sweep_view_->summary());
    status_->set_position({});
    update_title();
    return true;
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error,
                           tr("%1 cannot be opened.").arg(QFileInfo(path).fileName()),
                           QString::fromUtf8(fault.what()).split('\n', Qt::SkipEmptyParts));
    return is_sweep;
  }
}

void MainWindow::connect_sweep_commands() {
  const auto on = [&](const char* id, auto&& act) {
    connect((*commands_)[id], &QAction::triggered, this, std::forward<decltype(act)>(act));
  };
  on("sweep_open", [this] {
    const QString path = QFileDialog::getOpenFileName(this, tr("Open a sweep"),
                                                      examples_folder() + QStringLiteral("/sweeps"),
                                                      tr("Sweeps (*.json)"));
    if (!path.isEmpty()) open_paths({path});
  });
  on("sweep_run", [this] {
    if (sweep_view_ != nullptr) sweep_view_->run_or_stop();
  });
  on("sweep_export", [this] { export_sweep(); });
}

void MainWindow::export_sweep() {
  if (sweep_view_ == nullptr) return;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the results"), QStringLiteral("results.csv"), tr("Table (*.csv)"));
  if (path.isEmpty()) return;
  try {
    sweep_view_->export_csv(path.toStdString());
    message_->show_message(MessageBar::Kind::note, tr("Written to %1.").arg(path), {});
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error, QString::fromUtf8(fault.what()), {});
  }
}

void MainWindow::make_lessons() {
  settings_ = std::make_unique<QSettings>(app_settings().fileName(), QSettings::IniFormat);
  progress_ = std::make_unique<SettingsProgress>(*settings_);
  if (!shelf_.faults().empty()) {
    QStringList sentences;
    for (const std::string& fault : shelf_.faults())
      sentences += text_of(fault).split('\n', Qt::SkipEmptyParts);
    message_->show_message(MessageBar::Kind::error,
                           shelf_.lessons().empty() ? tr("The lessons cannot be read.")
                                                    : tr("Not every lesson can be read."),
                           sentences);
  }
  connect(start_page_, &StartPage::open_lesson, this,
          [this](const QString& number) { open_lesson(number.toUInt(), std::nullopt); });
  for (const Lesson& lesson : shelf_.lessons())
    connect(lesson_menu_->addAction(
                QStringLiteral("&%1  %2").arg(lesson.number).arg(text_of(lesson.title))),
            &QAction::triggered, this,
            [this, number = lesson.number] { open_lesson(number, std::nullopt); });
  connect((*commands_)["lesson_all"], &QAction::triggered, this, &MainWindow::show_start_page);
  connect((*commands_)["lesson_next"], &QAction::triggered, this, &MainWindow::open_next_lesson);
}

void MainWindow::open_next_lesson() {
  const Lesson* next = shelf_.next(*progress_);
  if (next != nullptr)
    open_lesson(next->number, std::nullopt);
  else
    show_start_page();
}

void MainWindow::picture_lesson(const Lesson& lesson, bool done) {
  const std::pair key(lesson.number, done);
  if (lesson_pictures_.contains(key)) return;
  lesson_pictures_[key] = {};  // asked for
  // The shelf lives as long as the window: what the thread has is its own.
  QThreadPool::globalInstance()->start([window = QPointer(this), key, own = lesson, done] {
    auto state = std::shared_ptr<const PoolState>();
    try {
      state = picture_state(own, done);
    } catch (const UserError&) {
      return;  // the lesson itself says so when it is opened
    }
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [window, key, state = std::move(state)] {
          if (window == nullptr || state == nullptr) return;
          window->lesson_pictures_[key] = pool_thumbnail(*state, {172, 84});
          window->list_lessons();
        },
        Qt::QueuedConnection);
  });
}

void MainWindow::open_lesson(std::uint32_t number, std::optional<std::uint64_t> seed) {
  const Lesson* lesson = shelf_.find(number);
  if (lesson == nullptr) return show_start_page();
  end_comparison();
  // The page before it refers to its player.
  delete std::exchange(lesson_page_, nullptr);
  player_ = std::make_unique<LessonPlayer>(*lesson, shelf_.glossary(), seed.value_or(lesson->seed),
                                           seed ? nullptr : progress_.get());
  lesson_page_ = new LessonPage(*player_, shelf_.find(number + 1) == nullptr, pages_);
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
    unsaved_name_ = tr("Lesson %1, free play").arg(player_->lesson().number);
    document_->set_unsaved(scenario.toStdString(), player_->lesson().folder);
    run_document();
  });
  show_docks(false);
  connect(lesson_page_, &LessonPage::step_changed, this, &MainWindow::show_lesson_status);
  pages_->setCurrentWidget(lesson_page_);
  show_lesson_status();
  update_title();
  lesson_page_->take_focus();
}

void MainWindow::show_lesson(const LessonWish& wish) {
  const Lesson* lesson = shelf_.find(wish.number);
  // A step that is asked for is as nobody has answered it: without what was reached before, and
  // without a trace in it.
  const bool fresh = wish.step || wish.answer;
  open_lesson(wish.number,
              fresh && lesson != nullptr ? wish.seed.value_or(lesson->seed) : wish.seed);
  if (!fresh || lesson == nullptr) return;
  const std::size_t step = wish.step.value_or(1);
  if (step > player_->steps())
    throw UserError(tr("--step: lesson %1 has steps 1 to %2, and no step %3.")
                        .arg(wish.number)
                        .arg(player_->steps())
                        .arg(step)
                        .toStdString());
  while (player_->step() + 1 < step) {
    player_->show_me();
    player_->next();
  }
  lesson_page_->go_to(step - 1);
  if (!wish.answer) return;
  lesson_page_->set_answer(*wish.answer);
  // A field rounds to its decimals and stays in its range.
  const auto taken = lesson_page_->answer();
  if (!taken || std::abs(taken->value - *wish.answer) > 1e-9 * std::max(1.0, *wish.answer))
    throw UserError(tr("--answer: step %1 of lesson %2 asks for %3, not for %4.")
                        .arg(step)
                        .arg(wish.number)
                        .arg(lesson_page_->asked_for())
                        .arg(*wish.answer)
                        .toStdString());
  lesson_page_->lock();
}

SweepSession* MainWindow::shown_sweep() {
  return sweep_view_ != nullptr && pages_->currentWidget() == sweep_view_ ? sweep_ : nullptr;
}

void MainWindow::run_sweep() {
  if (shown_sweep() != nullptr) sweep_view_->run();
}

void MainWindow::show_lesson_status() {
  const StepPage& page = player_->page();
  status_->set_note(player_->asking()
                        ? tr("Step %1 of %2: your answer first, then the result.")
                              .arg(page.step + 1)
                              .arg(page.steps)
                        : tr("Step %1 of %2: %3")
                              .arg(page.step + 1)
                              .arg(page.steps)
                              .arg(text_of(page.reveal ? page.reveal->title : page.title)));
  status_->set_position(tr("seed %1 · vacancy-gui --lesson %2 --seed %1")
                            .arg(player_->seed())
                            .arg(player_->lesson().number));
}

void MainWindow::list_lessons() {
  const Lesson* next = shelf_.next(*progress_);
  std::vector<StartItem> items;
  for (const Lesson& lesson : shelf_.lessons()) {
    StartItem item;
    item.key = QString::number(lesson.number);
    item.title = QStringLiteral("%1  %2").arg(item.key, text_of(lesson.title));
    item.text = text_of(lesson.goal);
    item.done = LessonPlayer::done(lesson, *progress_);
    item.next = &lesson == next;
    item.result = item.done ? tr("done") : item.next ? tr("Continue here") : QString();
    picture_lesson(lesson, item.done);
    item.picture = lesson_pictures_[{lesson.number, item.done}];
    items.push_back(std::move(item));
  }
  start_page_->set_lessons(items);
}

}  // namespace vacancy::gui
