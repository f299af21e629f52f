// SPDX-License-Identifier: Apache-2.0
#include "gui/app/headless_export.hpp"

#include <QCoreApplication>
#include <QEventLoop>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <memory>

#include "gui/app/exporter.hpp"
#include "gui/app/main_window.hpp"
#include "gui/app/map_sheet.hpp"
#include "gui/app/options.hpp"
#include "gui/model/recorded_run.hpp"
#include "gui/widgets/text.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

constexpr int settle_ms = 300;

/// A kind of picture, and what it is a function of.
struct View {
  const char* name;
  bool sheet;  // else a window's picture
  bool run;    // as it is at a moment
  bool map;
  bool file;  // a scenario or a sweep is in it
};
constexpr View views[] = {
    {"map", true, true, true, true},       {"timeline", true, true, false, true},
    {"window", false, true, true, true},   {"series", true, true, false, true},
    {"editor", false, false, false, true}, {"sweep", false, false, false, true},
    {"start", false, false, false, false}, {"keys", false, false, false, false}};
constexpr View lesson_view{"window", false, false, false, false};

[[noreturn]] void refuse(const QString& sentence) {
  throw UserError(sentence.toStdString());
}

const View& view_of(const HeadlessExport& job) {
  if (job.lesson) return lesson_view;
  for (const View& view : views)
    if (job.view == QLatin1String(view.name)) return view;
  refuse(QObject::tr("--view: “%1” is none of %2.").arg(job.view, view_words()));
}

/// What would change nothing in the picture is asked for by mistake.
void refuse_what_has_no_effect(const HeadlessExport& job, const View& view) {
  const auto belongs = [&](const char* option, const std::optional<QString>& value, bool takes,
                           const QString& to) {
    if (value && !takes)
      refuse(QObject::tr("%1 has no effect on this picture; it belongs to %2.")
                 .arg(QLatin1String(option), to));
  };
  const QString maps = QObject::tr("--view map and --view window");
  belongs("--at", job.at, view.run, QObject::tr("a picture of a run"));
  belongs("--select", job.select, view.map, maps);
  belongs("--zoom", job.zoom, view.map, maps);
  belongs("--colour-by", job.colour_by, view.map && job.files.size() == 1,
          QObject::tr("--view map and --view window of one scenario"));
}

std::shared_ptr<const Recording> recorded(const QString& file) {
  const auto scenario = std::make_shared<const Scenario>(load_scenario(file.toStdString()));
  RecordedRun run(scenario);
  run.run();
  return run.recording();
}

// Docks, what waits until time stands still, and pictures that threads make.
void settle() {
  QThreadPool::globalInstance()->waitForDone();
  QEventLoop wait;
  QTimer::singleShot(settle_ms, &wait, &QEventLoop::quit);
  wait.exec();
}

QString written(MainWindow& window, const QString& path) {
  return window.grab().save(path) ? QString() : QObject::tr("%1 cannot be written.").arg(path);
}

QString picture_without_run(const HeadlessExport& job, QSize size) {
  MainWindow window;
  window.resize(size);
  window.show();
  settle();
  if (job.lesson) {
    LessonWish wish = *job.lesson;
    if (!wish.step) wish.step = 1;  // a picture does not depend on who makes it
    window.show_lesson(wish);
  }
  if (job.view == QLatin1String("keys")) window.commands()["help"]->trigger();
  settle();
  return written(window, job.out);
}

/// A file in the window as somebody finds it who opened it: a scenario with faults, a sweep, which
/// is run first.
QString picture_of_file(const HeadlessExport& job, QSize size) {
  MainWindow window;
  window.resize(size);
  window.show();
  window.open_paths(job.files);
  if (SweepSession* sweep = window.run_sweep()) sweep->wait();
  settle();
  if (job.view == QLatin1String("editor")) window.show_editor();
  settle();
  return written(window, job.out);
}

QString picture_of_window(const HeadlessExport& job, QSize size,
                          const std::shared_ptr<const Recording>& recording) {
  MainWindow window;
  window.resize(size);
  window.show();
  window.session().adopt(recording, job.files.front());
  if (job.files.size() == 2) window.compare_with(recorded(job.files[1]), job.files[1]);
  if (job.at) seek_option(window.session(), *job.at);
  settle();
  if (job.colour_by) window.run_page().header().set_colouring(colouring_option(*job.colour_by));
  if (job.select) select_option(window.selection(), window.session(), *job.select);
  if (job.zoom) window.zoom_map(zoom_option(*job.zoom));
  window.reveal_chosen();
  settle();
  return written(window, job.out);
}

QString picture_of_sheet(const HeadlessExport& job, QSize size,
                         const std::shared_ptr<const Recording>& recording) {
  ExportJob sheet;
  sheet.view = job.view == QLatin1String("timeline") ? ExportView::timeline
               : job.view == QLatin1String("series") ? ExportView::series
                                                     : ExportView::map;
  sheet.size = size;
  sheet.path = job.out;
  sheet.theme = job.theme;
  RunSession session;
  session.adopt(recording, job.files.front());
  if (job.at) seek_option(session, *job.at);
  Selection selection;
  if (job.colour_by) sheet.map.colouring = colouring_option(*job.colour_by);
  if (job.select) select_option(selection, session, *job.select);
  sheet.map.blocks = selection.blocks();
  sheet.map.sequence = selection.sequence();
  if (job.zoom && session.has_map()) {
    sheet.map.place = map_on_sheet(session, sheet, 1).layout.zoomed(zoom_option(*job.zoom));
    if (const auto block = first_chosen(selection, session.replica()))
      sheet.map.place->reveal(*block);
  }
  return export_run(session, sheet);
}

QString write_picture(const HeadlessExport& job) {
  const View& view = view_of(job);
  refuse_what_has_no_effect(job, view);
  // Before a run that may take minutes.
  const QSize size = size_option(job.size, view.sheet ? smallest_sheet : smallest_window);
  if (job.zoom) zoom_option(*job.zoom);
  if (job.colour_by) colouring_option(*job.colour_by);
  if (!view.file) return picture_without_run(job, size);
  const bool two = job.files.size() == 2 && view.run && !view.sheet;
  if (job.files.size() != 1 && !two)
    refuse(QObject::tr("vacancy-gui: --export needs one scenario, two with --view window; not %1.")
               .arg(job.files.size()));
  if (!view.run) return picture_of_file(job, size);
  const auto recording = recorded(job.files.front());
  if (recording->state() == RunState::failed) return text_of(recording->reason());
  return view.sheet ? picture_of_sheet(job, size, recording)
                    : picture_of_window(job, size, recording);
}

}  // namespace

QString view_words() {
  QStringList words;
  for (const View& view : views)
    words.append(QLatin1String(view.name));
  return words.join(QStringLiteral(", "));
}

QString headless_export(const HeadlessExport& job) {
  try {
    return write_picture(job);
  } catch (const UserError& fault) {
    return QString::fromUtf8(fault.what());
  }
}

}  // namespace vacancy::gui
