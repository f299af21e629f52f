// SPDX-License-Identifier: Apache-2.0
#include "gui/app/headless_export.hpp"

#include <QCoreApplication>
#include <QEventLoop>
#include <QRegularExpression>
#include <QThreadPool>
#include <QTimer>
#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>

#include "gui/app/exporter.hpp"
#include "gui/app/main_window.hpp"
#include "gui/model/recorded_run.hpp"
#include "gui/widgets/text.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {
namespace {

constexpr int settle_ms = 300;

/// "0.5", "30s", "250ms", "#1200"; false: none of these.
bool seek(RunSession& session, const QString& at) {
  if (at.isEmpty()) return true;
  static const QRegularExpression form(
      QStringLiteral("^(?:#(?<event>\\d+)|(?<value>\\d*\\.?\\d+)(?<unit>s|ms|us|ns)?)$"));
  const auto match = form.match(at.trimmed());
  if (!match.hasMatch()) return false;
  if (!match.captured(QStringLiteral("event")).isEmpty()) {
    session.seek(match.captured(QStringLiteral("event")).toULongLong());
    return true;
  }
  const double value = match.captured(QStringLiteral("value")).toDouble();
  const QString unit = match.captured(QStringLiteral("unit"));
  const double ns = unit == QStringLiteral("s")    ? 1e9
                    : unit == QStringLiteral("ms") ? 1e6
                    : unit == QStringLiteral("us") ? 1e3
                                                   : 1;
  if (unit.isEmpty() && value > 1) return false;
  if (unit.isEmpty())
    session.seek(static_cast<std::uint64_t>(
        std::llround(value * static_cast<double>(session.recording().events()))));
  else
    session.seek_time(std::llround(value * ns));
  return true;
}

QString moment_fault(const QString& at) {
  return QObject::tr(
             "--at: “%1” is neither a share of the events (0.5), a time (30s, 250ms) nor an "
             "event (#1200).")
      .arg(at);
}

std::shared_ptr<const Recording> recorded(const QString& file) {
  const auto scenario = std::make_shared<const Scenario>(load_scenario(file.toStdString()));
  RecordedRun run(scenario);
  run.run();
  return run.recording();
}

std::optional<QSize> size_of(const QString& text) {
  static const QRegularExpression form(QStringLiteral("^(\\d{2,5})x(\\d{2,5})$"));
  const auto match = form.match(text);
  const QSize size(match.captured(1).toInt(), match.captured(2).toInt());
  const bool fits = match.hasMatch() && size.width() >= 400 && size.height() >= 240 &&
                    size.width() <= 8000 && size.height() <= 8000;
  return fits ? std::optional(size) : std::nullopt;
}

QString size_fault(const QString& text) {
  return QObject::tr("--size: “%1” is not WIDTHxHEIGHT between 400x240 and 8000x8000.").arg(text);
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
  if (job.lesson && !window.show_lesson(*job.lesson))
    return QObject::tr("--step, --answer: lesson %1 has no step %2 that takes this answer.")
        .arg(job.lesson->number)
        .arg(job.lesson->step);
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

QString picture_of_window(const HeadlessExport& job, const ExportJob& sheet,
                          const std::shared_ptr<const Recording>& recording) {
  MainWindow window;
  window.resize(sheet.size);
  window.show();
  window.session().adopt(recording, job.files.front());
  if (job.files.size() == 2) window.compare_with(recorded(job.files[1]), job.files[1]);
  if (!seek(window.session(), job.at)) return moment_fault(job.at);
  settle();
  if (!job.select.isEmpty()) window.go_to_block(job.select.toUInt());
  if (!job.zoom.isEmpty()) window.zoom_map({std::clamp(job.zoom.toInt(), 1, 136), 1});
  settle();
  return written(window, sheet.path);
}

}  // namespace

QString headless_export(const HeadlessExport& job) {
  if (job.lesson || job.view == QLatin1String("start") || job.view == QLatin1String("keys")) {
    const auto size_wanted = size_of(job.size);
    return size_wanted ? picture_without_run(job, *size_wanted) : size_fault(job.size);
  }
  const bool two = job.files.size() == 2 && job.view == QLatin1String("window");
  if (job.files.size() != 1 && !two)
    return QObject::tr("vacancy-gui: --export needs one scenario, two with --view window; not %1.")
        .arg(job.files.size());
  ExportJob sheet;
  const std::pair<const char*, ExportView> views[] = {{"map", ExportView::map},
                                                      {"timeline", ExportView::timeline},
                                                      {"window", ExportView::window},
                                                      {"series", ExportView::series}};
  if (job.files.size() == 1 &&
      (job.view == QLatin1String("editor") || job.view == QLatin1String("sweep"))) {
    const auto size_wanted = size_of(job.size);
    return size_wanted ? picture_of_file(job, *size_wanted) : size_fault(job.size);
  }
  bool known = false;
  for (const auto& [name, view] : views)
    if (job.view == QLatin1String(name)) {
      sheet.view = view;
      known = true;
    }
  if (!known)
    return QObject::tr(
               "--view: “%1” is none of map, timeline, window, series, editor, sweep, "
               "start, keys.")
        .arg(job.view);
  const auto size_wanted = size_of(job.size);
  if (!size_wanted) return size_fault(job.size);
  sheet.size = *size_wanted;
  sheet.path = job.out;
  sheet.theme = job.theme;
  try {
    const auto recording = recorded(job.files.front());
    if (recording->state() == RunState::failed) return text_of(recording->reason());
    if (sheet.view != ExportView::window) {
      RunSession session;
      session.adopt(recording, job.files.front());
      return seek(session, job.at) ? export_run(session, sheet) : moment_fault(job.at);
    }
    return picture_of_window(job, sheet, recording);
  } catch (const UserError& fault) {
    return QString::fromUtf8(fault.what());
  }
}

}  // namespace vacancy::gui
