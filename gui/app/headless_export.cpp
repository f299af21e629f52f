// SPDX-License-Identifier: Apache-2.0
#include "gui/app/headless_export.hpp"

#include <QCoreApplication>
#include <QEventLoop>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <memory>
#include <span>
#include <utility>

#include "gui/app/exporter.hpp"
#include "gui/app/main_window.hpp"
#include "gui/app/map_sheet.hpp"
#include "gui/app/options.hpp"
#include "gui/app/refuse.hpp"
#include "gui/model/recorded_run.hpp"
#include "gui/model/whole_file.hpp"
#include "gui/widgets/text.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

constexpr int settle_ms = 300;
constexpr QSize usual_size(1600, 1000);

constexpr const char* sheet_files[] = {".png", ".svg", ".pdf"};
constexpr const char* window_files[] = {".png"};
constexpr const char* table_files[] = {".csv"};

/// A kind of picture, and what it is a function of.
struct View {
  const char* name;
  std::span<const char* const> endings;  // of the files that it is written to
  bool run;                              // as it is at a moment
  bool map;
  bool file;  // a scenario or a sweep is in it

  bool window() const { return endings.data() == window_files; }
  bool table() const { return endings.data() == table_files; }
};
constexpr View views[] = {
    {"map", sheet_files, true, true, true},       {"timeline", sheet_files, true, false, true},
    {"window", window_files, true, true, true},   {"series", table_files, true, false, true},
    {"editor", window_files, false, false, true}, {"sweep", window_files, false, false, true},
    {"start", window_files, false, false, false}, {"keys", window_files, false, false, false}};
constexpr View lesson_view{"", window_files, false, false, false};

const View& view_of(const HeadlessExport& job) {
  if (job.lesson) return lesson_view;
  if (!job.view) return views[0];
  for (const View& view : views)
    if (*job.view == QLatin1String(view.name)) return view;
  refuse(QObject::tr("--view: “%1” is none of %2.").arg(*job.view, view_words()));
}

/// What would change nothing in the picture is asked for by mistake.
void refuse_what_has_no_effect(const HeadlessExport& job, const View& view) {
  const QString here = job.lesson ? QStringLiteral("--lesson")
                                  : QStringLiteral("--view %1").arg(QLatin1String(view.name));
  const auto belongs = [&](const char* option, bool given, bool takes, const QString& to) {
    if (given && !takes)
      refuse(QObject::tr("%1 has no effect with %2; it belongs to %3.")
                 .arg(QLatin1String(option), here, to));
  };
  const QString maps = QObject::tr("--view map and --view window");
  const QString pictures = QObject::tr("a picture, and this is a table");
  belongs("--view", job.view.has_value(), !job.lesson, QObject::tr("pictures without a lesson"));
  belongs("--at", job.at.has_value(), view.run, QObject::tr("a picture of a run"));
  belongs("--select", job.select.has_value(), view.map, maps);
  belongs("--zoom", job.zoom.has_value(), view.map, maps);
  belongs("--colour-by", job.colour_by.has_value(), view.map && job.files.size() == 1,
          QObject::tr("--view map and --view window of one scenario"));
  belongs("--size", job.size.has_value(), !view.table(), pictures);
  belongs("--dark or --light", job.theme.has_value(), !view.table(), pictures);
  if (!view.file && !job.files.isEmpty())
    refuse(QObject::tr("%1 shows no file; leave out %2.").arg(here, job.files.front()));
}

void check_ending(const QString& path, const View& view) {
  QStringList endings;
  for (const char* ending : view.endings) {
    if (path.endsWith(QLatin1String(ending), Qt::CaseInsensitive)) return;
    endings.append(QLatin1String(ending));
  }
  const QString last = endings.takeLast();
  refuse(
      QObject::tr("--export: the name “%1” must end in %2.")
          .arg(path, endings.isEmpty()
                         ? last
                         : QObject::tr("%1 or %2").arg(endings.join(QStringLiteral(", ")), last)));
}

/// Where a run has no map, these would change nothing.
void refuse_without_map(const HeadlessExport& job, const Recording& recording) {
  if (recording.shape().has_map) return;
  for (const auto& [option, value] :
       {std::pair("--zoom", job.zoom), {"--colour-by", job.colour_by}, {"--select", job.select}})
    if (value)
      refuse(QObject::tr("%1: %2").arg(QLatin1String(option), text_of(recording.missing())));
}

std::shared_ptr<const Recording> recorded(const QString& file) {
  const auto scenario = std::make_shared<const Scenario>(load_scenario(file.toStdString()));
  RecordedRun run(scenario);
  run.run();
  return run.recording();
}

/// Scores are of one sequence's last round.
void find_scores(RunSession& session, Colouring colouring, const Selection& selection) {
  if (colouring != Colouring::score) return;
  if (!selection.sequence())
    refuse(QObject::tr("--colour-by score: scores are of one sequence; choose it with --select."));
  session.find_scores(*selection.sequence());
  if (session.score_finder().scores() == nullptr)
    refuse(QObject::tr("--colour-by score: %1; choose another moment with --at.")
               .arg(text_of(session.score_finder().sentence())));
}

// Docks, what waits until time stands still, and pictures that threads make.
void settle() {
  QThreadPool::globalInstance()->waitForDone();
  QEventLoop wait;
  QTimer::singleShot(settle_ms, &wait, &QEventLoop::quit);
  wait.exec();
}

void picture_without_run(const HeadlessExport& job, QSize size) {
  MainWindow window;
  window.resize(size);
  window.show();
  settle();
  if (job.lesson) {
    LessonWish wish = *job.lesson;
    if (!wish.step) wish.step = 1;  // a picture does not depend on who makes it
    window.show_lesson(wish);
  }
  if (job.view == QStringLiteral("keys")) window.commands()["help"]->trigger();
  settle();
  export_window(window, job.out);
}

/// A file in the window as somebody finds it who opened it: a scenario with faults, a sweep, which
/// is run first.
void picture_of_file(const HeadlessExport& job, QSize size) {
  MainWindow window;
  window.resize(size);
  window.show();
  window.open_paths(job.files);
  const QString& file = job.files.front();
  const bool wants_sweep = job.view == QStringLiteral("sweep");
  SweepSession* const sweep = window.shown_sweep();
  if (sweep == nullptr && (file.isEmpty() || window.document().file() != file.toStdString())) {
    settle();
    refuse(window.message().text());
  }
  if (wants_sweep && sweep == nullptr)
    refuse(QObject::tr("--view sweep: %1 is no sweep; it belongs to --view editor.").arg(file));
  if (!wants_sweep && sweep != nullptr)
    refuse(QObject::tr("--view editor: %1 is a sweep; it belongs to --view sweep.").arg(file));
  window.run_sweep();
  if (sweep != nullptr) sweep->wait();
  settle();
  if (sweep != nullptr && sweep->status() == SweepSession::Status::failed)
    refuse(text_of(sweep->error()));
  if (!wants_sweep) window.show_editor();
  settle();
  export_window(window, job.out);
}

void picture_of_window(const HeadlessExport& job, QSize size,
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
  if (job.colour_by)
    find_scores(window.session(), colouring_option(*job.colour_by), window.selection());
  if (job.zoom) window.zoom_map(zoom_option(*job.zoom));
  window.reveal_chosen();
  settle();
  export_window(window, job.out);
}

void picture_of_sheet(const HeadlessExport& job, QSize size,
                      const std::shared_ptr<const Recording>& recording) {
  ExportJob sheet;
  sheet.view = job.view == QStringLiteral("timeline") ? ExportView::timeline
               : job.view == QStringLiteral("series") ? ExportView::series
                                                      : ExportView::map;
  sheet.size = size;
  sheet.path = job.out;
  sheet.theme = job.theme.value_or(Theme::light);
  RunSession session;
  session.adopt(recording, job.files.front());
  if (job.at) {
    seek_option(session, *job.at);
    sheet.last_event = session.moment();
  }
  Selection selection;
  if (job.colour_by) sheet.map.colouring = colouring_option(*job.colour_by);
  if (job.select) select_option(selection, session, *job.select);
  find_scores(session, sheet.map.colouring, selection);
  sheet.map.blocks = selection.blocks();
  sheet.map.sequence = selection.sequence();
  if (job.zoom) {
    sheet.map.place = map_on_sheet(session, sheet, 1).layout.zoomed(zoom_option(*job.zoom));
    if (!job.size) {
      sheet.map.place->shrink_view();
      sheet.size = sheet_around(*sheet.map.place);
    }
    if (const auto block = first_chosen(selection, session.replica()))
      sheet.map.place->reveal(*block);
  }
  export_run(session, sheet);
}

void write_picture(const HeadlessExport& job) {
  const View& view = view_of(job);
  // Before a run that may take minutes.
  refuse_what_has_no_effect(job, view);
  check_ending(job.out, view);
  check_place(job.out);
  const QSize size = job.size
                         ? size_option(*job.size, view.window() ? smallest_window : smallest_sheet)
                         : usual_size;
  if (job.zoom) zoom_option(*job.zoom);
  if (job.colour_by) colouring_option(*job.colour_by);
  if (!view.file) return picture_without_run(job, size);
  const bool two = job.files.size() == 2 && view.run && view.window();
  if (job.files.size() != 1 && !two)
    refuse(QObject::tr("vacancy-gui: --export needs one scenario, two with --view window; not %1.")
               .arg(job.files.size()));
  if (!view.run) return picture_of_file(job, size);
  const auto recording = recorded(job.files.front());
  if (recording->state() == RunState::failed) refuse(text_of(recording->reason()));
  refuse_without_map(job, *recording);
  return view.window() ? picture_of_window(job, size, recording)
                       : picture_of_sheet(job, size, recording);
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
    write_picture(job);
    return {};
  } catch (const UserError& fault) {
    return QString::fromUtf8(fault.what());
  }
}

}  // namespace vacancy::gui
