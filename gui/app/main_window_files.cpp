// SPDX-License-Identifier: Apache-2.0
#include <QDateTime>
#include <QDir>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QFileInfo>
#include <QMimeData>
#include <QUrl>

#include "gui/app/app_settings.hpp"
#include "gui/app/examples.hpp"
#include "gui/app/exporter.hpp"
#include "gui/app/main_window.hpp"
#include "gui/app/map_sheet.hpp"
#include "gui/paint/map_painter.hpp"
#include "gui/widgets/text.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

constexpr qsizetype most_recent = 10;

QStringList files_in(const QMimeData* data) {
  QStringList paths;
  for (const QUrl& url : data->urls())
    if (url.isLocalFile()) paths.append(url.toLocalFile());
  return paths;
}

QString when(const QDateTime& then) {
  const qint64 minutes = then.secsTo(QDateTime::currentDateTime()) / 60;
  if (minutes < 1) return QObject::tr("just now");
  if (minutes < 60) return QObject::tr("%1 min ago").arg(minutes);
  const qint64 days = then.daysTo(QDateTime::currentDateTime());
  if (days == 0) return QObject::tr("today");
  return days == 1 ? QObject::tr("yesterday") : QObject::tr("%1 days ago").arg(days);
}

}  // namespace

void MainWindow::ask_for_file() {
  const QStringList paths = QFileDialog::getOpenFileNames(
      this, tr("Open a scenario, or two to compare"),
      session_.path().isEmpty() ? examples_folder() : QFileInfo(session_.path()).path(),
      tr("Scenarios (*.json)"));
  open_paths(paths);
}

void MainWindow::export_picture() {
  if (!session_.has_run()) {
    message_->show_message(MessageBar::Kind::note, tr("There is nothing to export yet."), {});
    return;
  }
  const QString name = QFileInfo(session_.path()).completeBaseName() + QStringLiteral("-map.png");
  QString kind;
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export"), name,
      tr("Map, PNG (*.png);;Map, SVG (*.svg);;Map, PDF (*.pdf);;Timeline, PNG (*.timeline.png);;"
         "Window, PNG (*.window.png);;Series of the range in view, CSV (*.csv)"),
      &kind);
  if (path.isEmpty()) return;
  const ExportView view = kind.startsWith(tr("Timeline")) ? ExportView::timeline
                          : kind.startsWith(tr("Window")) ? ExportView::window
                          : kind.startsWith(tr("Series")) ? ExportView::series
                                                          : ExportView::map;
  try {
    if (view == ExportView::window)
      export_window(*this, path);
    else
      export_run(session_, shown_as(view, path));
    message_->show_message(MessageBar::Kind::note, tr("Written to %1.").arg(path), {});
  } catch (const UserError& fault) {
    message_->show_message(MessageBar::Kind::error, QString::fromUtf8(fault.what()), {});
  }
}

ExportJob MainWindow::shown_as(ExportView view, const QString& path) {
  ExportJob job;
  job.view = view;
  job.path = path;
  job.theme = application_theme();
  job.span = run_page_->timeline().shown();
  if (view != ExportView::map || !session_.has_map()) return job;
  const MapView& map = current_map();
  job.size = sheet_around(map.layout());
  job.map.place = map.layout();
  job.map.colouring = map.scene().colouring;
  job.map.isolated = map.scene().isolated;
  job.map.blocks = selection_.blocks();
  job.map.sequence = selection_.sequence();
  return job;
}

void MainWindow::remember(const QString& path) {
  QSettings settings = app_settings();
  QStringList recent = settings.value(QStringLiteral("recent")).toStringList();
  const QString whole = QFileInfo(path).absoluteFilePath();
  recent.removeAll(whole);
  recent.prepend(whole);
  settings.setValue(QStringLiteral("recent"), recent.mid(0, most_recent));
  settings.setValue(QStringLiteral("opened/") + picture_key(whole), QDateTime::currentDateTime());
}

void MainWindow::keep_thumbnail() {
  // A fork is no result of its file.
  if (!session_.has_map() || session_.request().fork) return;
  const Recording& r = session_.recording();
  // Of another moment, or another run that has come since, it would be no result.
  if (!r.over() || r.state() == RunState::failed || session_.moment() < r.events()) return;
  const QString key = picture_key(QFileInfo(session_.path()).absoluteFilePath());
  MapScene scene = session_.scene();
  scene.palette = &palette_of(application_theme());
  const QSize view(576, 220);
  const auto pools = session_.pools();
  const std::uint32_t row_length = automatic_row_length(pools, view, 2);
  const MapLayout layout(pools, row_length, fitting_zoom(pools, row_length, view, 2), view, 2);
  QDir().mkpath(picture_folder());
  map_image(scene, layout).save(picture_folder() + '/' + key + QStringLiteral(".png"));
  const std::vector<Figure> figures = session_.figures();
  app_settings().setValue(QStringLiteral("result/") + key,
                          tr("%1 came back").arg(figures.front().value));
}

void MainWindow::update_start_page() {
  const QSettings settings = app_settings();
  std::vector<StartItem> recent;
  for (const QString& path : settings.value(QStringLiteral("recent")).toStringList()) {
    const QFileInfo file(path);
    StartItem item;
    item.key = path;
    item.title = file.fileName();
    item.text = QFileInfo(file.path()).fileName();
    item.missing = !file.exists();
    const QString key = picture_key(path);
    item.result = when(settings.value(QStringLiteral("opened/") + key).toDateTime());
    const QString result = settings.value(QStringLiteral("result/") + key).toString();
    if (!result.isEmpty()) item.result += QStringLiteral(" · ") + result;
    recent.push_back(std::move(item));
  }
  start_page_->set_recent(recent);
  std::vector<StartItem> examples = example_items();
  for (StartItem& item : examples) {
    const QString result =
        settings.value(QStringLiteral("result/") + picture_key(item.key)).toString();
    item.result = result.isEmpty() ? tr("not run yet") : result;
    QPixmap picture(picture_folder() + '/' + picture_key(item.key) + QStringLiteral(".png"));
    if (!picture.isNull()) {
      picture.setDevicePixelRatio(2);
      item.picture = picture;
    }
  }
  start_page_->set_examples(examples);
  list_lessons();
  start_page_->set_shown_at_start(settings.value(QStringLiteral("start_page"), true).toBool());
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
  if (files_in(event->mimeData()).isEmpty()) return;
  event->acceptProposedAction();
  start_page_->set_dropping(true);
}

void MainWindow::dragLeaveEvent(QDragLeaveEvent*) {
  start_page_->set_dropping(false);
}

void MainWindow::dropEvent(QDropEvent* event) {
  start_page_->set_dropping(false);
  const QStringList paths = files_in(event->mimeData());
  if (paths.isEmpty()) return;
  event->acceptProposedAction();
  open_paths(paths);
}

}  // namespace vacancy::gui
