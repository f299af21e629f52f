// SPDX-License-Identifier: Apache-2.0
// Two runs in one window.
#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>
#include <utility>

#include "gui/app/main_window.hpp"
#include "gui/model/two_runs.hpp"
#include "gui/widgets/text.hpp"

namespace vacancy::gui {

void MainWindow::connect_comparison() {
  const auto on = [&](const char* id, auto&& act) {
    connect((*commands_)[id], &QAction::triggered, this, std::forward<decltype(act)>(act));
  };
  on("compare", [this] {
    if (!session_.has_run()) return;
    const QString path = QFileDialog::getOpenFileName(
        this, tr("Compare with"), QFileInfo(session_.path()).path(), tr("Scenarios (*.json)"));
    if (!path.isEmpty()) begin_comparison(run_of(path));
  });
  on("end_compare", [this] { end_comparison(); });
  on("swap_runs", [this] { swap_runs(); });
  on("what_if", [this] {
    if (!comparing_) run_page_->show_what_if();
  });
  connect(&run_page_->what_if_bar(), &WhatIfBar::applied, this, &MainWindow::apply_what_if);
  on("divergence", [this] {
    if (!comparing_ || !session_.has_run() || !other_.has_run()) return;
    if (!compare_page_->seek_divergence())
      message_->show_message(MessageBar::Kind::note, tr("The two runs are the same so far."), {});
  });
  connect(&other_, &RunSession::grew, this, &MainWindow::find_divergence);
  connect(&session_, &RunSession::grew, this, &MainWindow::find_divergence);
  connect(&other_, &RunSession::replaced, this, [this] {
    if (comparing_) show_comparison();
  });
  connect(&other_, &RunSession::refused, this, [this](const QString& sentences) {
    message_->show_message(
        MessageBar::Kind::error,
        tr("%1 cannot be run beside %2.")
            .arg(QFileInfo(other_.opened_path()).fileName(), QFileInfo(session_.path()).fileName()),
        sentences.split('\n', Qt::SkipEmptyParts));
    end_comparison();
  });
  update_commands();
}

void MainWindow::set_comparing(bool on) {
  comparing_ = on;
  text_of_b_.reset();
  update_commands();
}

void MainWindow::apply_what_if(const QString& reclaimer) {
  const auto sequence = selection_.sequence();
  if (!sequence || !session_.current()) return;
  RunRequest request = session_.request();
  request.fork = {session_.moment(), session_.time_ns(), *sequence, reclaimer.toStdString()};
  begin_comparison(std::move(request));
}

void MainWindow::begin_comparison(RunRequest request) {
  set_comparing(true);
  other_.open(std::move(request));
}

void MainWindow::compare_with(std::shared_ptr<const Recording> recording, const QString& path) {
  set_comparing(true);
  other_.adopt(std::move(recording), path);
  find_divergence();
}

void MainWindow::swap_runs() {
  if (!comparing_ || !session_.has_run() || !other_.has_run()) return;
  const std::vector<std::uint32_t> blocks = selection_.blocks();
  const std::optional<std::uint32_t> sequence = selection_.sequence();
  compare_page_->forget_divergence();
  compare_page_->swap_runs();
  selection_.set_blocks(blocks);
  selection_.set_sequence(sequence);
  find_divergence();
  // The editor has the scenario of A.
  std::string text = document_->text();
  edit(session_.opened(), std::exchange(text_of_b_, std::move(text)));
  update_docks();
}

void MainWindow::zoom_map(MapZoom zoom) {
  MapView& map = current_map();
  map.set_zoom(zoom, QPoint(0, 0));
  Q_EMIT map.place_changed();
}

void MainWindow::end_comparison() {
  if (!comparing_) return;
  set_comparing(false);
  compare_page_->forget_divergence();
  other_.close();
  if (pages_->currentWidget() != compare_page_) return;
  pages_->setCurrentWidget(run_page_);
  show_docks(true);
  update_title();
  update_docks();
  update_status();
}

void MainWindow::show_comparison() {
  if (!session_.has_run() || !other_.has_run()) return;
  show_docks(false);
  pages_->setCurrentWidget(compare_page_);
  compare_page_->seek_leader();
  update_title();
  update_status();
}

void MainWindow::find_divergence() {
  if (!comparing_ || !session_.has_run() || !other_.has_run()) return;
  if (!session_.recording().over() || !other_.recording().over()) return;
  // Reads both histories; the window goes on meanwhile.
  const auto a = session_.shared_recording(), b = other_.shared_recording();
  QThreadPool::globalInstance()->start([window = QPointer(this), a, b] {
    auto found = first_divergence(*a, *b);
    QMetaObject::invokeMethod(
        QCoreApplication::instance(),
        [window, a, b, found = std::move(found)] {
          if (window == nullptr || !window->comparing_ || !window->other_.has_run() ||
              window->session_.shared_recording() != a || window->other_.shared_recording() != b)
            return;
          window->compare_page_->set_divergence(found);
        },
        Qt::QueuedConnection);
  });
}

MapView& MainWindow::current_map() {
  return comparing_ ? compare_page_->map(false) : run_page_->map();
}

}  // namespace vacancy::gui
