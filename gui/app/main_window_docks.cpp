// SPDX-License-Identifier: Apache-2.0
#include <QResizeEvent>
#include <QScrollArea>
#include <QTimer>
#include <algorithm>

#include "gui/app/app_settings.hpp"
#include "gui/app/main_window.hpp"

namespace vacancy::gui {
namespace {

constexpr int left_width = 248, right_width = 312, narrow_right_width = 264;
constexpr int inspector_height = 404;
constexpr int narrow_below = 1280;

}  // namespace

QDockWidget* MainWindow::add_dock(const QString& name, const QString& title, QWidget* content,
                                  Qt::DockWidgetArea area) {
  auto* d = new QDockWidget(title, this);
  d->setObjectName(QStringLiteral("dock_") + name);
  d->setWidget(content);
  addDockWidget(area, d);
  docks_.emplace(name, d);
  const auto later = [this] { QTimer::singleShot(0, this, &MainWindow::title_docks); };
  connect(d, &QDockWidget::dockLocationChanged, this, later);
  connect(d, &QDockWidget::topLevelChanged, this, later);
  connect(d, &QDockWidget::visibilityChanged, this, [this, later](bool visible) {
    later();
    // What was behind was not told of moments.
    if (visible) QTimer::singleShot(0, this, &MainWindow::update_docks);
  });
  return d;
}

void MainWindow::title_docks() {
  for (const auto& [name, d] : docks_) {
    const auto others = tabifiedDockWidgets(d);
    const bool in_tabs =
        !d->isFloating() && std::any_of(others.begin(), others.end(),
                                        [](const QDockWidget* o) { return !o->isHidden(); });
    QWidget* bar = d->titleBarWidget();
    if (in_tabs && bar == nullptr) {
      d->setTitleBarWidget(new QWidget(d));
    } else if (!in_tabs && bar != nullptr) {
      d->setTitleBarWidget(nullptr);
      delete bar;
    }
  }
}

void MainWindow::make_docks() {
  document_ = new ScenarioDocument(this);
  editor_ = new ScenarioEditor(*document_, this);
  events_ = new EventListView(this);
  inspector_ = new Inspector(this);
  block_table_ = new BlockTableView(this);
  free_queue_ = new FreeQueueView(this);
  prefix_tree_ = new PrefixTreeView(this);
  add_dock(QStringLiteral("scenario"), tr("Scenario"), editor_, Qt::LeftDockWidgetArea);
  add_dock(QStringLiteral("events"), tr("Events"), events_, Qt::LeftDockWidgetArea);
  add_dock(QStringLiteral("inspector"), tr("Inspector"), inspector_, Qt::RightDockWidgetArea);
  add_dock(QStringLiteral("table"), tr("Block table"), block_table_, Qt::RightDockWidgetArea);
  add_dock(QStringLiteral("queue"), tr("Free queue"), free_queue_, Qt::RightDockWidgetArea);
  add_dock(QStringLiteral("prefixes"), tr("Prefix tree"), prefix_tree_, Qt::RightDockWidgetArea);
  for (const char* corner_side : {"left", "right"}) {
    const bool left = corner_side[0] == 'l';
    setCorner(left ? Qt::TopLeftCorner : Qt::TopRightCorner,
              left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea);
    setCorner(left ? Qt::BottomLeftCorner : Qt::BottomRightCorner,
              left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea);
  }
  place_docks();
  connect(events_, &EventListView::moment_chosen, &session_, &RunSession::seek);
  connect(events_, &EventListView::sequence_chosen, this,
          [this](std::uint32_t s) { selection_.set_sequence(s); });
  const auto choose = [this](std::uint32_t block) {
    selection_.set_blocks({block});
    run_page_->map().reveal(block);
  };
  connect(block_table_, &BlockTableView::chosen, this, choose);
  connect(block_table_, &BlockTableView::hovered, this,
          [this](std::optional<std::uint32_t> block) { selection_.set_hovered_block(block); });
  connect(free_queue_, &FreeQueueView::chosen, this, choose);
  connect(prefix_tree_, &PrefixTreeView::chosen, this, choose);
}

void MainWindow::place_docks() {
  narrow_ = width() < narrow_below;
  for (const auto& [name, d] : docks_) {
    d->setFloating(false);
    const bool left =
        !narrow_ && (name == QStringLiteral("scenario") || name == QStringLiteral("events"));
    addDockWidget(left ? Qt::LeftDockWidgetArea : Qt::RightDockWidgetArea, d);
    d->show();
  }
  const auto dock_of = [this](const char* name) { return docks_.at(QLatin1String(name)); };
  if (narrow_) {
    for (const char* name : {"table", "scenario", "events", "queue", "prefixes"})
      tabifyDockWidget(dock_of("inspector"), dock_of(name));
    resizeDocks({dock_of("inspector")}, {narrow_right_width}, Qt::Horizontal);
    dock_of("inspector")->raise();
    return;
  }
  tabifyDockWidget(dock_of("scenario"), dock_of("events"));
  splitDockWidget(dock_of("inspector"), dock_of("table"), Qt::Vertical);
  tabifyDockWidget(dock_of("table"), dock_of("queue"));
  tabifyDockWidget(dock_of("queue"), dock_of("prefixes"));
  resizeDocks({dock_of("events"), dock_of("inspector")}, {left_width, right_width}, Qt::Horizontal);
  resizeDocks({dock_of("inspector"), dock_of("table")},
              {inspector_height, std::max(200, height() - inspector_height - 100)}, Qt::Vertical);
  dock_of("events")->raise();
  dock_of("table")->raise();
}

bool MainWindow::takes_tab(const QWidget& control) const {
  if ((control.focusPolicy() & Qt::TabFocus) == 0 || control.focusProxy() != nullptr ||
      !control.isVisible() || !control.isEnabled() || control.window() != this)
    return false;
  // Qt keeps docks that are behind others, and the tabs of hidden ones, beyond the window's edge,
  // where they are visible to it.
  const QWidget* part = &control;
  while (part->parentWidget() != this)
    part = part->parentWidget();
  return rect().intersects(part->geometry());
}

bool MainWindow::focusNextPrevChild(bool next) {
  QWidget* const from = focusWidget() != nullptr ? focusWidget() : this;
  const auto neighbour = [next](const QWidget* of) {
    return next ? of->nextInFocusChain() : of->previousInFocusChain();
  };
  for (QWidget* to = neighbour(from); to != from; to = neighbour(to)) {
    if (to == this || !takes_tab(*to)) continue;
    to->setFocus(next ? Qt::TabFocusReason : Qt::BacktabFocusReason);
    for (QWidget* around = to->parentWidget(); around != this; around = around->parentWidget())
      if (auto* scroll = qobject_cast<QScrollArea*>(around)) scroll->ensureWidgetVisible(to);
    return true;
  }
  return false;
}

void MainWindow::show_dock(const QString& name) {
  QDockWidget* d = docks_.at(name);
  d->show();
  d->raise();
  if (d->widget() != nullptr) d->widget()->setFocus(Qt::ShortcutFocusReason);
}

void MainWindow::show_docks(bool shown) {
  const bool are = docks_.begin()->second->property("wanted").toBool();
  if (are == shown && docks_.begin()->second->property("wanted").isValid()) return;
  // Other pages have the window to themselves; afterwards docks are as they were. A layout is
  // restored only into a window that was not seen yet: Qt 6.4 can crash on tabs that were hidden
  // meanwhile.
  if (!shown) {
    layout_ = saveState(layout_version);
    for (const auto& [name, d] : docks_) {
      d->setProperty("shown", !d->isHidden());
      d->setProperty("front", !d->visibleRegion().isEmpty());
      d->hide();
    }
    setProperty("docks_seen", isVisible());
  } else if ((width() < narrow_below) != narrow_ || layout_.isEmpty()) {
    place_docks();  // the window has another size now
  } else if (!property("docks_seen").toBool()) {
    restoreState(layout_, layout_version);
  } else {
    for (const auto& [name, d] : docks_)
      d->setVisible(d->property("shown").toBool());
    for (const auto& [name, d] : docks_)
      if (d->property("front").toBool()) d->raise();
  }
  for (const auto& [name, d] : docks_)
    d->setProperty("wanted", shown);
}

void MainWindow::restore_default_layout() {
  place_docks();
  run_page_->splitter().setSizes({600, 217});
}

void MainWindow::update_docks() {
  if (!session_.has_run()) return;
  const Replica* replica = session_.has_map() ? &session_.replica() : nullptr;
  const auto hovered = selection_.hovered_block();
  const auto& blocks = selection_.blocks();
  const std::optional<std::uint32_t> chosen =
      blocks.empty() ? std::nullopt : std::optional(blocks.front());
  // A chosen block stays; while none is, the pointer's is shown.
  const auto shown = chosen ? chosen : hovered;
  inspector_->set_blocks_known(replica != nullptr);
  inspector_->set_block(shown && replica != nullptr ? std::optional(session_.facts(*shown))
                                                    : std::nullopt);
  // Its history costs a walk back: for a chosen block, once time stands still.
  if (chosen && replica != nullptr) history_wait_.start();
  if (!block_table_->visibleRegion().isEmpty() || block_table_->isVisible())
    block_table_->show_moment(replica, selection_.sequence().value_or(no_sequence), chosen);
  if (free_queue_->isVisible()) free_queue_->show_moment(replica);
  prefix_tree_->show_moment(replica);
  events_->set_moment(session_.moment());
}

void MainWindow::show_history() {
  const auto& blocks = selection_.blocks();
  if (blocks.empty() || !session_.has_map() || session_.playing()) return;
  BlockFacts facts = session_.facts(blocks.front());
  session_.add_history(facts);
  inspector_->set_block(std::move(facts));
}

void MainWindow::save_layout() {
  QSettings settings = app_settings();
  settings.setValue(QStringLiteral("geometry"), saveGeometry());
  if (pages_->currentWidget() != start_page_) layout_ = saveState(layout_version);
  settings.setValue(QStringLiteral("layout"), layout_);
  settings.setValue(QStringLiteral("splitter"), run_page_->splitter().saveState());
}

void MainWindow::restore_layout() {
  const QSettings settings = app_settings();
  const QByteArray layout = settings.value(QStringLiteral("layout")).toByteArray();
  restoreGeometry(settings.value(QStringLiteral("geometry")).toByteArray());
  if (layout.isEmpty() || !restoreState(layout, layout_version))
    place_docks();
  else
    narrow_ = width() < narrow_below;  // the layout was made for this size
  const QByteArray split = settings.value(QStringLiteral("splitter")).toByteArray();
  if (!split.isEmpty()) run_page_->splitter().restoreState(split);
}

void MainWindow::resizeEvent(QResizeEvent* event) {
  QMainWindow::resizeEvent(event);
  const bool narrow = width() < narrow_below;
  if (narrow != narrow_ && pages_->currentWidget() != start_page_) place_docks();
}

}  // namespace vacancy::gui
