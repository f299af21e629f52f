// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QDockWidget>
#include <QMainWindow>
#include <QMenu>
#include <QPixmap>
#include <QStackedWidget>
#include <QTimer>
#include <QToolBar>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "gui/app/examples.hpp"
#include "gui/app/export_job.hpp"
#include "gui/app/lesson_wish.hpp"
#include "gui/lessons/lesson_page.hpp"
#include "gui/lessons/lesson_shelf.hpp"
#include "gui/model/form/scenario_document.hpp"
#include "gui/model/selection.hpp"
#include "gui/model/sweep/sweep_session.hpp"
#include "gui/widgets/block_table.hpp"
#include "gui/widgets/commands.hpp"
#include "gui/widgets/compare_page.hpp"
#include "gui/widgets/editor/scenario_editor.hpp"
#include "gui/widgets/event_list.hpp"
#include "gui/widgets/inspector.hpp"
#include "gui/widgets/keys_overlay.hpp"
#include "gui/widgets/message_bar.hpp"
#include "gui/widgets/pool_lists.hpp"
#include "gui/widgets/run_page.hpp"
#include "gui/widgets/run_session.hpp"
#include "gui/widgets/start_page.hpp"
#include "gui/widgets/status_line.hpp"
#include "gui/widgets/sweep/sweep_view.hpp"

namespace vacancy::gui {

/// Docks give way down to here: they are placed anew where a window is narrow.
inline constexpr QSize smallest_window{800, 560};

/// The window: pages in the middle, docks around them, one table of commands.
class MainWindow final : public QMainWindow {
  Q_OBJECT

 public:
  MainWindow();
  ~MainWindow() override;

  /// One file: its run. Two: side by side.
  void open_paths(const QStringList& paths);
  /// A lesson by its number, with its own seed or another; without such a lesson the start page.
  void open_lesson(std::uint32_t number, std::optional<std::uint64_t> seed);
  /// A lesson at one of its steps, with an answer locked. Throws UserError where it has no such
  /// step or the step does not take the answer.
  void show_lesson(const LessonWish& wish);
  /// The sweep whose page is shown; null if none is.
  SweepSession* shown_sweep();
  /// Runs it.
  void run_sweep();
  /// The scenario's form to the front.
  void show_editor() { show_dock(QStringLiteral("scenario")); }
  const LessonShelf& shelf() const { return shelf_; }
  /// A second run that was made elsewhere, beside the first.
  void compare_with(std::shared_ptr<const Recording> recording, const QString& path);
  void go_to_block(std::uint32_t block);
  /// The maps at so many pixels a cell.
  void zoom_map(MapZoom zoom);
  /// What is chosen into view.
  void reveal_chosen();
  /// The page's map, timeline or series as they are shown, for a file.
  ExportJob shown_as(ExportView view, const QString& path);

  RunSession& session() { return session_; }
  /// The second run, where two are compared.
  RunSession& other() { return other_; }
  bool comparing() const { return comparing_; }
  RunPage& run_page() { return *run_page_; }
  Selection& selection() { return selection_; }
  const CommandSet& commands() const { return *commands_; }
  QDockWidget* dock(const QString& name) const { return docks_.at(name); }
  ScenarioDocument& document() { return *document_; }
  MessageBar& message() { return *message_; }
  StatusLine& status() { return *status_; }

 public Q_SLOTS:
  void show_start_page();
  void restore_default_layout();

 protected:
  void closeEvent(QCloseEvent*) override;
  void dragEnterEvent(QDragEnterEvent*) override;
  void dragLeaveEvent(QDragLeaveEvent*) override;
  void dropEvent(QDropEvent*) override;
  void resizeEvent(QResizeEvent*) override;
  void changeEvent(QEvent*) override;
  bool focusNextPrevChild(bool next) override;

 private:
  // main_window_menus.cpp
  void make_menus();
  void make_toolbar();
  void connect_commands();
  void connect_playback_commands();
  // main_window_docks.cpp
  void make_docks();
  QDockWidget* add_dock(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area);
  void place_docks();
  /// A dock in a row of tabs has its name there, and no title besides.
  void title_docks();
  void show_dock(const QString& name);
  void show_docks(bool shown);
  /// A control that is there to be seen, if need be after scrolling.
  bool takes_tab(const QWidget& control) const;
  void update_docks();
  void show_history();
  void save_layout();
  void restore_layout();
  // main_window_files.cpp
  void ask_for_file();
  void export_picture();
  void remember(const QString& path);
  void update_start_page();
  void keep_thumbnail();

  // main_window_editor.cpp
  void make_editor();
  /// The scenario of a run to the editor; `text`: what was written of it since.
  void edit(const RunRequest& request, const std::optional<std::string>& text);
  void run_document();
  void save_document(bool ask);
  /// True if the file is a sweep, which is then shown.
  bool open_sweep(const QString& path);
  void make_lessons();
  void list_lessons();
  /// Pictures of lessons are simulated beside the window; cards get them as they come.
  void picture_lesson(const Lesson& lesson, bool done);
  void open_next_lesson();
  void connect_sweep_commands();
  void export_sweep();
  void show_lesson_status();

  // main_window_compare.cpp
  void connect_comparison();
  void set_comparing(bool on);
  void begin_comparison(RunRequest request);
  void swap_runs();
  /// The previewed way to reclaim at the moment that is shown, in a fork of the run beside it.
  void apply_what_if(const QString& reclaimer);
  /// Run A goes on alone, where two were seen.
  void end_comparison();
  void show_comparison();
  void find_divergence();
  MapView& current_map();

  void connect_session();
  /// What begins with the run that is shown can be asked for only while that is of a sound file.
  void update_commands();
  /// What the page is about: a file, two, a lesson; empty on the start page.
  QString page_name() const;
  bool shows_run() const;
  void update_title();
  void update_status();
  void show_refusal(const QString& sentences);
  void show_end();
  void step(StepUnit unit, std::int64_t count);
  void clear_or_leave();

  RunSession session_, other_;
  bool comparing_ = false;
  Selection selection_;
  CommandSet* commands_ = nullptr;
  QStackedWidget* pages_;
  StartPage* start_page_;
  RunPage* run_page_;
  ComparePage* compare_page_;
  MessageBar* message_;
  StatusLine* status_;
  KeysOverlay* keys_;

  std::map<QString, QDockWidget*> docks_;
  Inspector* inspector_;
  BlockTableView* block_table_;
  FreeQueueView* free_queue_;
  PrefixTreeView* prefix_tree_;
  EventListView* events_;
  ScenarioDocument* document_ = nullptr;
  QString unsaved_name_;                  // of a document without a file
  std::optional<std::string> text_of_b_;  // as it was edited while B was A
  ScenarioEditor* editor_ = nullptr;
  SweepSession* sweep_ = nullptr;
  SweepView* sweep_view_ = nullptr;
  std::unique_ptr<QSettings> settings_;
  std::unique_ptr<SettingsProgress> progress_;
  LessonShelf shelf_{lessons_folder()};
  std::unique_ptr<LessonPlayer> player_;
  LessonPage* lesson_page_ = nullptr;
  std::map<std::pair<std::uint32_t, bool>, QPixmap> lesson_pictures_;  // by number and done
  QMenu* lesson_menu_ = nullptr;
  QByteArray layout_;
  QLabel* file_title_;
  QToolBar* toolbar_;
  QTimer history_wait_;
  bool narrow_ = false;
};

}  // namespace vacancy::gui
