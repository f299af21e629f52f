// SPDX-License-Identifier: Apache-2.0
#include "gui/app/main_window.hpp"

#include <QApplication>
#include <QCloseEvent>
#include <QFileInfo>
#include <QStatusBar>
#include <QVBoxLayout>

#include "gui/app/app_settings.hpp"
#include "gui/model/announcer.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/focus_ring.hpp"
#include "gui/widgets/key_guard.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/theme.hpp"

namespace vacancy::gui {

MainWindow::MainWindow() {
  setObjectName(QStringLiteral("main_window"));
  setWindowIcon(program_icon());
  setAcceptDrops(true);
  resize(1600, 1000);
  setMinimumSize(smallest_window);
  setDockOptions(QMainWindow::AllowTabbedDocks | QMainWindow::AllowNestedDocks);
  setTabPosition(Qt::AllDockWidgetAreas, QTabWidget::North);
  commands_ = new CommandSet(this);
  auto* middle = new QWidget(this);
  auto* column = new QVBoxLayout(middle);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  message_ = new MessageBar(middle);
  pages_ = new QStackedWidget(middle);
  start_page_ = new StartPage(*commands_, pages_);
  run_page_ = new RunPage(session_, selection_, *commands_, pages_);
  pages_->addWidget(start_page_);
  pages_->addWidget(run_page_);
  compare_page_ = new ComparePage(session_, other_, selection_, *commands_, pages_);
  pages_->addWidget(compare_page_);
  column->addWidget(message_);
  column->addWidget(pages_, 1);
  setCentralWidget(middle);
  status_ = new StatusLine(this);
  statusBar()->setSizeGripEnabled(false);
  statusBar()->addWidget(status_, 1);
  keys_ = new KeysOverlay(this);
  history_wait_.setSingleShot(true);
  history_wait_.setInterval(120);
  connect(&history_wait_, &QTimer::timeout, this, &MainWindow::show_history);
  make_docks();
  make_menus();
  make_toolbar();
  connect_commands();
  connect_session();
  connect_comparison();
  make_editor();
  make_lessons();
  connect_sweep_commands();
  qApp->installEventFilter(new KeyGuard(this));
  new FocusRing(this);
  restore_layout();
  show_start_page();
}

MainWindow::~MainWindow() {
  delete findChild<FocusRing*>();  // focus goes from control to control while they are destroyed
  delete lesson_page_;             // before its player
  // Views are told nothing any more: they go before what they show does.
  for (RunSession* session : {&session_, &other_}) {
    session->disconnect(this);
    session->disconnect(run_page_);
    session->disconnect(compare_page_);
  }
  selection_.disconnect(this);
  selection_.disconnect(run_page_);
  selection_.disconnect(compare_page_);
}

void MainWindow::connect_session() {
  connect(&session_, &RunSession::opening, this, [this] {
    message_->hide();
    update_title();
  });
  connect(&session_, &RunSession::replaced, this, [this] {
    // Views that are behind others keep nothing of a run that is gone.
    block_table_->show_moment(nullptr, no_sequence, std::nullopt);
    free_queue_->show_moment(nullptr);
    prefix_tree_->show_moment(nullptr);
    selection_.clear();
    update_commands();
    if (!session_.has_run()) {
      events_->show_run(nullptr);
      inspector_->set_block(std::nullopt);
      return;
    }
    events_->show_run(session_.shared_recording());
    if (comparing_) return show_comparison();
    pages_->setCurrentWidget(run_page_);
    show_docks(true);
    update_title();
  });
  connect(&session_, &RunSession::moment_changed, this, [this] {
    update_docks();
    update_status();
  });
  connect(&session_, &RunSession::grew, this, [this] {
    events_->read_more();
    update_status();
    if (session_.has_run() && session_.recording().over()) show_end();
  });
  connect(&session_, &RunSession::refused, this, &MainWindow::show_refusal);
  connect(&selection_, &Selection::changed, this, &MainWindow::update_docks);
  connect(&selection_, &Selection::hover_changed, this, &MainWindow::update_docks);
}

void MainWindow::open_paths(const QStringList& paths) {
  if (paths.isEmpty()) return;
  for (const QString& path : paths) {
    const QFileInfo file(path);
    if (!file.exists() || file.isFile() || file.isDir()) continue;
    return message_->show_message(
        MessageBar::Kind::error, tr("%1 cannot be opened.").arg(path),
        {tr("It is a pipe or a device, and a scenario is read more than once: write it to a file "
            "first.")});
  }
  end_comparison();
  remember(paths.front());
  if (open_sweep(paths.front())) return;
  session_.open(run_of(paths.front()));
  if (paths.size() > 1) begin_comparison(run_of(paths[1]));
}

void MainWindow::show_start_page() {
  update_start_page();
  pages_->setCurrentWidget(start_page_);
  show_docks(false);
  status_->set_note(tr("Nothing is open. Open a scenario, start a lesson, or drop a file here."));
  status_->set_position(tr("Vacancy %1").arg(QCoreApplication::applicationVersion()));
  update_title();
}

bool MainWindow::shows_run() const {
  const QWidget* page = pages_->currentWidget();
  return page == run_page_ || page == compare_page_;
}

QString MainWindow::page_name() const {
  const QWidget* page = pages_->currentWidget();
  if (page == start_page_) return {};
  if (page == lesson_page_)
    return tr("Lesson %1: %2").arg(player_->lesson().number).arg(text_of(player_->lesson().title));
  if (page == sweep_view_) return title_of(QString::fromStdString(sweep_->file().string()));
  // Alone, what the editor has.
  return comparing_ ? tr("%1 and %2").arg(session_.title(), other_.title())
                    : title_of(session_.opened());
}

void MainWindow::update_title() {
  const QString name = page_name();
  const bool modified =
      pages_->currentWidget() == run_page_ && document_ != nullptr && document_->modified();
  setWindowTitle(name.isEmpty() ? QStringLiteral("Vacancy") : tr("%1[*] – Vacancy").arg(name));
  setWindowModified(modified);  // Qt looks for the title's [*]
  // Two names leave no room for what a fork does; the head of its map says it.
  file_title_->setText(pages_->currentWidget() == compare_page_
                           ? tr("%1 and %2").arg(title_of(session_.path()), title_of(other_.path()))
                       : modified ? tr("%1 ● changed").arg(name)
                                  : name);
  file_title_->setToolTip(shows_run() ? session_.opened_path() : QString());
  // Its commands are about a file; lessons and the start page have their own.
  toolbar_->setVisible(shows_run() || pages_->currentWidget() == sweep_view_);
}

void MainWindow::update_status() {
  if (!session_.has_run() || !shows_run()) return;
  const Recording& r = session_.recording();
  status_->set_sentences(
      text_of(next_sentence(r, session_.moment())),
      text_of(last_sentence(session_.playback().cursor(), session_.score_finder().scores())));
  status_->set_position(
      comparing_ ? tr("time, zoom and selection are locked")
                 : tr("event %1 of %2").arg(grouped(session_.moment()), grouped(r.events())));
}

void MainWindow::update_commands() {
  for (const char* id : {"what_if", "compare", "export"})
    (*commands_)[id]->setEnabled(!session_.stale());
  for (const char* id : {"end_compare", "swap_runs"})
    (*commands_)[id]->setEnabled(comparing_);
}

void MainWindow::show_refusal(const QString& sentences) {
  const QStringList lines = sentences.split('\n', Qt::SkipEmptyParts);
  const QString name = QFileInfo(session_.opened_path()).fileName();
  const bool stale = session_.stale();
  const QString count = lines.size() == 1 ? tr("an error") : tr("%1 errors").arg(lines.size());
  message_->show_message(MessageBar::Kind::error,
                         stale ? tr("%1 has %2; the last good run is still shown.").arg(name, count)
                               : tr("%1 has %2.").arg(name, count),
                         lines, {{tr("Reload"), [this] { session_.reload(); }}});
  update_commands();
  if (stale || document_->file() != session_.opened().file) return;
  // What can be mended is shown to be mended.
  pages_->setCurrentWidget(run_page_);
  show_docks(true);
  show_dock(QStringLiteral("scenario"));
  status_->set_note(tr("No run yet."));
  status_->set_position({});
  update_title();
}

void MainWindow::show_end() {
  const Recording& r = session_.recording();
  const QString limit = text_of(r.limit_sentence());
  if (r.state() == RunState::stopped_early)
    message_->show_message(
        MessageBar::Kind::warning,
        tr("The run ended early, at %1.").arg(text_of(seconds(r.end_ns()))), {text_of(r.reason())},
        {{tr("Go there"), [this] { session_.seek(session_.recording().events()); }}});
  else if (r.state() == RunState::failed)
    message_->show_message(MessageBar::Kind::error, tr("The run failed."), {text_of(r.reason())});
  else if (r.state() == RunState::cancelled)
    message_->show_message(MessageBar::Kind::note,
                           tr("Cancelled at %1; what was recorded stays. Figures are to that time.")
                               .arg(text_of(seconds(r.end_ns()))),
                           {});
  else if (!limit.isEmpty())
    message_->show_message(MessageBar::Kind::warning, limit, {});
  // In a turn of its own: the views have much to do at the end already.
  QTimer::singleShot(0, this, &MainWindow::keep_thumbnail);
}

void MainWindow::step(StepUnit unit, std::int64_t count) {
  if (!session_.has_run()) return;
  session_.step(unit, count);
  if (!session_.has_map()) return;
  // What the step touched bears its time; a step back shows what it is about to touch again.
  const PoolView view = session_.replica().view();
  std::vector<std::uint32_t> changed;
  constexpr std::size_t most = 4000;
  for (std::uint32_t b = 0; b < view.changed_ns.size() && changed.size() < most; ++b)
    if (view.changed_ns[b] == view.time_ns) changed.push_back(b);
  run_page_->mark_changes(changed);
}

void MainWindow::go_to_block(std::uint32_t block) {
  if (!session_.has_map() || block >= session_.replica().blocks()) return;
  selection_.set_blocks({block});
  const std::uint32_t owner = session_.replica().view().owner[block];
  selection_.set_sequence(owner == no_sequence ? std::nullopt : std::optional(owner));
  reveal_chosen();
}

void MainWindow::reveal_chosen() {
  if (!session_.has_map()) return;
  if (const auto block = first_chosen(selection_, session_.replica())) current_map().reveal(*block);
}

void MainWindow::clear_or_leave() {
  if (keys_->isVisible()) return keys_->hide();
  if (run_page_->legend().isolated()) return run_page_->legend().clear_isolated();
  if (!selection_.blocks().empty() || selection_.sequence() || selection_.time_range())
    return selection_.clear();
  if (message_->isVisible()) return message_->hide();
  if (QWidget* focused = focusWidget()) focused->clearFocus();
}

void MainWindow::closeEvent(QCloseEvent* event) {
  session_.cancel();
  save_layout();
  QMainWindow::closeEvent(event);
}

void MainWindow::changeEvent(QEvent* event) {
  if (event->type() == QEvent::PaletteChange && commands_ != nullptr) {
    (*commands_)["dark"]->setChecked(application_theme() == Theme::dark);
    lesson_pictures_.clear();
    // Afterwards: the application is about to tell the cards, too, which go.
    QTimer::singleShot(0, this, &MainWindow::list_lessons);
  }
  QMainWindow::changeEvent(event);
}

}  // namespace vacancy::gui

#include "moc_main_window.cpp"
