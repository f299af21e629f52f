// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QClipboard>
#include <QMenuBar>
#include <QToolBar>
#include <QToolButton>
#include <utility>

#include "gui/app/app_settings.hpp"
#include "gui/app/main_window.hpp"
#include "gui/widgets/find_box.hpp"
#include "gui/widgets/run_until.hpp"
#include "gui/widgets/text.hpp"
#include "gui/widgets/theme.hpp"

namespace vacancy::gui {
namespace {

constexpr std::pair<const char*, const char*> dock_commands[] = {
    {"dock_scenario", "scenario"}, {"dock_events", "events"}, {"dock_inspector", "inspector"},
    {"dock_table", "table"},       {"dock_queue", "queue"},   {"dock_prefixes", "prefixes"}};

}  // namespace

void MainWindow::make_menus() {
  for (const std::string_view category : command_categories()) {
    QMenu* menu = nullptr;
    for (const Command& c : command_table()) {
      if (c.category != category) continue;
      if (menu == nullptr) menu = menuBar()->addMenu(text_of(category));
      if (c.id == "lesson_all") lesson_menu_ = menu;
      menu->addAction((*commands_)[c.id]);
      if (c.ends_group) menu->addSeparator();
    }
  }
}

void MainWindow::make_toolbar() {
  auto* bar = addToolBar(tr("Tools"));
  toolbar_ = bar;
  bar->setObjectName(QStringLiteral("tools"));
  bar->setMovable(false);
  bar->toggleViewAction()->setVisible(false);
  bar->setIconSize({16, 16});
  bar->setFixedHeight(40);
  for (const char* id : {"open", "save", "reload", "export"})
    bar->addAction((*commands_)[id]);
  bar->addSeparator();
  for (const char* id : {"undo", "redo"})
    bar->addAction((*commands_)[id]);
  bar->addSeparator();
  file_title_ = new QLabel(bar);
  QFont bold = file_title_->font();
  bold.setBold(true);
  file_title_->setFont(bold);
  file_title_->setContentsMargins(6, 0, 0, 0);
  bar->addWidget(file_title_);
  auto* space = new QWidget(bar);
  space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  bar->addWidget(space);
  const auto framed = [&](const char* id, const QString& text, int width) {
    auto* button = new QToolButton(bar);
    button->setDefaultAction((*commands_)[id]);
    button->setText(text);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setProperty("framed", true);
    button->setMinimumWidth(width);
    button->setFixedHeight(28);
    bar->addWidget(button);
    auto* gap = new QWidget(bar);
    gap->setFixedWidth(6);
    bar->addWidget(gap);
  };
  framed("compare", tr("Compare"), 104);
  framed("find", tr("Find   Ctrl+K"), 120);
}

void MainWindow::connect_commands() {
  const CommandSet& c = *commands_;
  const auto on = [&](const char* id, auto&& act) {
    connect(c[id], &QAction::triggered, this, std::forward<decltype(act)>(act));
  };
  on("open", [this] { ask_for_file(); });
  on("reload", [this] { session_.reload(); });
  on("export", [this] { export_picture(); });
  on("start_page", [this] { show_start_page(); });
  on("quit", [this] { close(); });
  on("copy_map", [this] {
    if (current_map().isVisible()) QApplication::clipboard()->setPixmap(current_map().grab());
  });
  on("find", [this] {
    auto* box = new FindBox(*this, *commands_);
    connect(box, &FindBox::block_wanted, this, [this](std::uint32_t block) { go_to_block(block); });
    connect(box, &FindBox::sequence_wanted, this, [this](std::uint32_t sequence) {
      selection_.set_sequence(sequence);
      reveal_chosen();
    });
    box->open();
  });
  on("zoom_in", [this] {
    run_page_->timeline().hasFocus() ? run_page_->timeline().zoom_in() : current_map().zoom_in();
  });
  on("zoom_out", [this] {
    run_page_->timeline().hasFocus() ? run_page_->timeline().zoom_out() : current_map().zoom_out();
  });
  on("fit", [this] {
    run_page_->timeline().hasFocus() ? run_page_->timeline().show_all() : current_map().fit();
  });
  on("fit_selection", [this] { current_map().fit_selection(); });
  on("pan_left", [this] { current_map().pan(-2, 0); });
  on("pan_right", [this] { current_map().pan(2, 0); });
  on("pan_up", [this] { current_map().pan(0, -2); });
  on("pan_down", [this] { current_map().pan(0, 2); });
  on("cell_left", [this] { current_map().move_focus(-1, 0); });
  on("cell_right", [this] { current_map().move_focus(1, 0); });
  on("cell_up", [this] { current_map().move_focus(0, -1); });
  on("cell_down", [this] { current_map().move_focus(0, 1); });
  on("to_range", [this] {
    TimelineView& timeline = run_page_->timeline();
    timeline.brushed() ? timeline.show_brushed() : timeline.show_all();
  });
  on("clear", [this] { clear_or_leave(); });
  on("dark", [](bool dark) {
    set_theme(*static_cast<QApplication*>(QCoreApplication::instance()),
              dark ? Theme::dark : Theme::light);
    app_settings().setValue(QStringLiteral("dark"), dark);
  });
  c["dark"]->setChecked(application_theme() == Theme::dark);
  on("reset_layout", [this] { restore_default_layout(); });
  for (const auto& [id, name] : dock_commands)
    on(id, [this, dock_name = QLatin1String(name)] { show_dock(dock_name); });
  on("help", [this] { keys_->open(); });
  on("about", [this] {
    message_->show_message(MessageBar::Kind::note,
                           tr("Vacancy %1").arg(QCoreApplication::applicationVersion()),
                           {tr("A simulator of paged KV-cache memory in LLM serving. Apache "
                               "License 2.0; uses Qt under "
                               "the LGPL 3.")});
  });
  connect_playback_commands();
}

void MainWindow::connect_playback_commands() {
  const CommandSet& c = *commands_;
  const auto on = [&](const char* id, auto&& act) {
    connect(c[id], &QAction::triggered, this, std::forward<decltype(act)>(act));
  };
  PlaybackBar& bar = run_page_->playback();
  on("play", [this] { session_.play(!session_.playing()); });
  on("event_on", [this] { step(StepUnit::event, 1); });
  on("event_back", [this] { step(StepUnit::event, -1); });
  on("events_on", [this] { step(StepUnit::event, 10); });
  on("events_back", [this] { step(StepUnit::event, -10); });
  on("reclaim_on", [this] { step(StepUnit::round, 1); });
  on("reclaim_back", [this] { step(StepUnit::round, -1); });
  on("step", [this, &bar] { step(bar.step_unit(), 1); });
  on("step_back", [this, &bar] { step(bar.step_unit(), -1); });
  on("first", [this] { session_.seek(0); });
  on("last", [this] {
    if (session_.has_run()) session_.seek(session_.recording().events());
  });
  on("run", [this, &bar] {
    bar.set_speed(1);
    if (!session_.has_run()) session_.reload();
    session_.play(true);
  });
  on("fast", [this, &bar] {
    bar.set_speed(100);
    session_.play(true);
  });
  on("express", [this] {
    session_.play(false);
    if (session_.has_run()) session_.seek(session_.recording().events());
  });
  on("stop", [this] { session_.playing() ? session_.play(false) : session_.cancel(); });
  on("slower", [&bar] { bar.set_speed(bar.speed() / 2); });
  on("faster", [&bar] { bar.set_speed(bar.speed() * 2); });
  on("run_until", [this] {
    if (!session_.has_run()) return;
    auto* menu = make_run_until_menu(this, [this](const Until& until, const QString& what) {
      if (!session_.run_until(until))
        message_->show_message(
            MessageBar::Kind::note,
            tr("%1 does not come after this moment in what is recorded.").arg(what), {});
    });
    menu->popup(QCursor::pos());
  });
}

}  // namespace vacancy::gui
