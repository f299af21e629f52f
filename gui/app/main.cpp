// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCommandLineParser>
#include <algorithm>
#include <cstdio>
#include <optional>
#include <vector>

#include "gui/app/app_settings.hpp"
#include "gui/app/headless_export.hpp"
#include "gui/app/main_window.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/theme.hpp"

namespace {

using namespace vacancy::gui;

/// An export needs no screen; where none was chosen, it takes none.
void choose_platform(int argc, char* argv[]) {
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument(argv[i]);
    const bool silent = argument.startsWith("--export") || argument == "--help" ||
                        argument == "-h" || argument == "--version" || argument == "-v";
    if (silent && qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
      qputenv("QT_QPA_PLATFORM", "offscreen");
  }
}

int refuse(const QString& sentence) {
  std::fputs((sentence + '\n').toUtf8().constData(), stderr);
  return 2;
}

/// Qt would abort.
bool has_screen() {
#ifdef Q_OS_LINUX
  return !qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM") ||
         !qEnvironmentVariableIsEmpty("DISPLAY") || !qEnvironmentVariableIsEmpty("WAYLAND_DISPLAY");
#else
  return true;
#endif
}

/// "1, 2, 3, 4, 5"
QString listed(const std::vector<std::uint32_t>& numbers) {
  QStringList words;
  for (const std::uint32_t number : numbers)
    words.push_back(QString::number(number));
  return words.join(QStringLiteral(", "));
}

}  // namespace

int main(int argc, char* argv[]) {
  choose_platform(argc, argv);
  if (!has_screen())
    return refuse(
        QStringLiteral("vacancy-gui: there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY "
                       "is set. Pictures "
                       "need none (--export), and vacancy run prints the same figures."));
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("vacancy-gui"));
  QApplication::setApplicationVersion(QStringLiteral(VACANCY_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("vacancy-gui"));

  QCommandLineParser parser;
  parser.setApplicationDescription(QObject::tr(
      "See every block of a paged KV cache, through time: what was evicted, what stayed "
      "held, and what really came back."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("FILE"),
                               QObject::tr("Scenario (JSON); a second one is shown beside it."),
                               QStringLiteral("[FILE [FILE]]"));
  const QCommandLineOption export_to(
      QStringLiteral("export"),
      QObject::tr(
          "Write a picture and leave, without a screen: .png, .svg, .pdf; .csv for series."),
      QStringLiteral("OUT"));
  const QCommandLineOption at(
      QStringLiteral("at"),
      QObject::tr(
          "With --export: the moment, as a share of the events (0.5), a time (30s, 250ms), or an "
          "event (#1200). Its end without."),
      QStringLiteral("MOMENT"));
  const QCommandLineOption view(
      QStringLiteral("view"),
      QObject::tr("With --export: map, timeline, window, series, editor, sweep, start or "
                  "keys."),
      QStringLiteral("VIEW"), QStringLiteral("map"));
  const QCommandLineOption size(QStringLiteral("size"), QObject::tr("With --export: WIDTHxHEIGHT."),
                                QStringLiteral("SIZE"), QStringLiteral("1600x1000"));
  const QCommandLineOption dark(QStringLiteral("dark"), QObject::tr("Light on dark."));
  const QCommandLineOption light(QStringLiteral("light"), QObject::tr("Dark on light."));
  const QCommandLineOption select(QStringLiteral("select"),
                                  QObject::tr("With --view window: a block that is chosen."),
                                  QStringLiteral("BLOCK"));
  const QCommandLineOption zoom(QStringLiteral("zoom"),
                                QObject::tr("With --view window: pixels a cell."),
                                QStringLiteral("PIXELS"));
  const QCommandLineOption lesson(QStringLiteral("lesson"),
                                  QObject::tr("Open this lesson; with --export, a picture of it."),
                                  QStringLiteral("NUMBER"));
  const QCommandLineOption seed(QStringLiteral("seed"),
                                QObject::tr("With --lesson: other numbers of the same kind."),
                                QStringLiteral("SEED"));
  const QCommandLineOption step(QStringLiteral("step"),
                                QObject::tr("With --lesson: the step, from 1 on."),
                                QStringLiteral("STEP"), QStringLiteral("1"));
  const QCommandLineOption answer(
      QStringLiteral("answer"),
      QObject::tr("With --lesson and --step: an answer that is locked, a share as 0.5."),
      QStringLiteral("ANSWER"));
  parser.addOptions(
      {lesson, seed, step, answer, export_to, at, view, size, select, zoom, dark, light});
  if (!parser.parse(QCoreApplication::arguments()))
    return refuse(parser.errorText() + QStringLiteral(". See vacancy-gui --help."));
  if (parser.isSet(QStringLiteral("version"))) parser.showVersion();
  if (parser.isSet(QStringLiteral("help"))) parser.showHelp(0);

  const Theme system = application_theme();
  const bool wants_dark =
      parser.isSet(dark) ||
      (!parser.isSet(light) && !parser.isSet(export_to) &&
       app_settings().value(QStringLiteral("dark"), system == Theme::dark).toBool());
  set_theme(application, wants_dark ? Theme::dark : Theme::light);
  QApplication::setWindowIcon(program_icon());

  const QStringList files = parser.positionalArguments();
  if (files.size() > 2)
    return refuse(
        QObject::tr("vacancy-gui: %1 files; it shows one, or two side by side.").arg(files.size()));
  std::optional<LessonWish> wish;
  for (const QCommandLineOption* of_lesson : {&seed, &step, &answer})
    if (parser.isSet(*of_lesson) && !parser.isSet(lesson))
      return refuse(QObject::tr("--%1 belongs to a lesson; name one with --lesson.")
                        .arg(of_lesson->names().front()));
  if (parser.isSet(lesson)) {
    if (!files.isEmpty())
      return refuse(QObject::tr("--lesson brings its own scenarios; leave out %1.").arg(files[0]));
    bool is_number = false, is_seed = true;
    wish.emplace().number = parser.value(lesson).toUInt(&is_number);
    if (parser.isSet(seed)) wish->seed = parser.value(seed).toULongLong(&is_seed);
    const std::vector<std::uint32_t> numbers = MainWindow().lessons();
    if (!is_number || std::find(numbers.begin(), numbers.end(), wish->number) == numbers.end())
      return refuse(QObject::tr("--lesson: “%1” is none; there are %2.")
                        .arg(parser.value(lesson), listed(numbers)));
    bool is_step = false, is_answer = true;
    wish->step = parser.value(step).toULongLong(&is_step);
    if (parser.isSet(answer)) wish->answer = parser.value(answer).toDouble(&is_answer);
    if (!is_step || !is_answer)
      return refuse(QObject::tr("%1: “%2” is no number.")
                        .arg(is_step ? QStringLiteral("--answer") : QStringLiteral("--step"),
                             parser.value(is_step ? answer : step)));
    if (!is_seed)
      return refuse(QObject::tr("--seed: “%1” is no integer from 0 to 18446744073709551615.")
                        .arg(parser.value(seed)));
  }
  if (parser.isSet(export_to)) {
    HeadlessExport job;
    job.lesson = wish;
    job.files = files;
    job.out = parser.value(export_to);
    job.at = parser.value(at);
    job.view = parser.value(view);
    job.size = parser.value(size);
    job.select = parser.value(select);
    job.zoom = parser.value(zoom);
    job.theme = wants_dark ? Theme::dark : Theme::light;
    const QString fault = headless_export(job);
    return fault.isEmpty() ? 0 : refuse(fault);
  }
  MainWindow window;
  window.show();
  if (wish)
    window.show_lesson(*wish);
  else
    window.open_paths(files);
  return QApplication::exec();
}
