// SPDX-License-Identifier: Apache-2.0
#include <QApplication>
#include <QCommandLineParser>
#include <csignal>
#include <cstdio>
#include <optional>

#include "gui/app/app_settings.hpp"
#include "gui/app/examples.hpp"
#include "gui/app/headless_export.hpp"
#include "gui/app/keep_memory.hpp"
#include "gui/app/main_window.hpp"
#include "gui/app/options.hpp"
#include "gui/paint/icons.hpp"
#include "gui/widgets/theme.hpp"
#include "sim/units/fault_sentence.hpp"

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

/// An option's text, where it was given.
std::optional<QString> given(const QCommandLineParser& parser, const QCommandLineOption& option) {
  return parser.isSet(option) ? std::optional(parser.value(option)) : std::nullopt;
}

}  // namespace

int main(int argc, char* argv[]) {
  // A file that may not grow is told of as any other that cannot be written.
  std::signal(SIGXFSZ, SIG_IGN);
  choose_platform(argc, argv);
  if (!has_screen())
    return refuse(
        QStringLiteral("vacancy-gui: there is no screen here: neither DISPLAY nor WAYLAND_DISPLAY "
                       "is set. Pictures "
                       "need none (--export), and vacancy run prints the same figures."));
  keep_memory();
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
          "event (#1200). Its end without. A table (--view series) ends there."),
      QStringLiteral("MOMENT"));
  const QCommandLineOption view(QStringLiteral("view"),
                                QObject::tr("With --export: %1; map without.").arg(view_words()),
                                QStringLiteral("VIEW"));
  const QCommandLineOption size(
      QStringLiteral("size"),
      QObject::tr("Of the picture or the window: WIDTHxHEIGHT. Without, a "
                  "picture is 1600x1000, and a sheet of a smaller map "
                  "(--zoom) as small as that."),
      QStringLiteral("SIZE"));
  const QCommandLineOption dark(QStringLiteral("dark"), QObject::tr("Light on dark."));
  const QCommandLineOption light(QStringLiteral("light"), QObject::tr("Dark on light."));
  const QCommandLineOption select(
      QStringLiteral("select"),
      QObject::tr("With --view map or window: a block (674) or a sequence (s88) that is chosen."),
      QStringLiteral("WHAT"));
  const QCommandLineOption zoom(QStringLiteral("zoom"),
                                QObject::tr("With --view map or window: pixels a cell, %1 to %2. "
                                            "The whole pool without.")
                                    .arg(zoom_pitches.front())
                                    .arg(zoom_pitches.back()),
                                QStringLiteral("PIXELS"));
  const QCommandLineOption colour_by(
      QStringLiteral("colour-by"),
      QObject::tr("With --view map or window: what colour says, %1.").arg(colouring_words()),
      QStringLiteral("WHAT"));
  const QCommandLineOption lesson(QStringLiteral("lesson"),
                                  QObject::tr("Open this lesson; with --export, a picture of it."),
                                  QStringLiteral("NUMBER"));
  const QCommandLineOption seed(QStringLiteral("seed"),
                                QObject::tr("With --lesson: other numbers of the same kind."),
                                QStringLiteral("SEED"));
  const QCommandLineOption step(QStringLiteral("step"),
                                QObject::tr("With --lesson: the step, from 1 on."),
                                QStringLiteral("STEP"));
  const QCommandLineOption answer(
      QStringLiteral("answer"),
      QObject::tr("With --lesson and --step: an answer that is locked, a share as 0.5."),
      QStringLiteral("ANSWER"));
  parser.addOptions({lesson, seed, step, answer, export_to, at, view, size, select, zoom, colour_by,
                     dark, light});
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

  if (parser.isSet(dark) && parser.isSet(light))
    return refuse(QObject::tr("--dark and --light contradict each other; leave one out."));
  const QStringList files = parser.positionalArguments();
  if (files.size() > 2)
    return refuse(
        QObject::tr("vacancy-gui: %1 files; it shows one, or two side by side.").arg(files.size()));
  for (const QCommandLineOption* of_lesson : {&seed, &step, &answer})
    if (parser.isSet(*of_lesson) && !parser.isSet(lesson))
      return refuse(QObject::tr("--%1 belongs to a lesson; name one with --lesson.")
                        .arg(of_lesson->names().front()));
  for (const QCommandLineOption* of_picture : {&at, &view, &select, &zoom, &colour_by})
    if (parser.isSet(*of_picture) && !parser.isSet(export_to))
      return refuse(QObject::tr("--%1 belongs to a picture; say with --export where it is written.")
                        .arg(of_picture->names().front()));
  if (parser.isSet(lesson) && !files.isEmpty())
    return refuse(QObject::tr("--lesson brings its own scenarios; leave out %1.").arg(files[0]));
  try {
    std::optional<LessonWish> wish;
    if (parser.isSet(lesson))
      wish = lesson_option(
          {parser.value(lesson), given(parser, seed), given(parser, step), given(parser, answer)},
          LessonShelf(lessons_folder()));
    if (parser.isSet(export_to)) {
      HeadlessExport job;
      job.lesson = wish;
      job.files = files;
      job.out = parser.value(export_to);
      job.at = given(parser, at);
      job.view = given(parser, view);
      job.size = given(parser, size);
      job.select = given(parser, select);
      job.zoom = given(parser, zoom);
      job.colour_by = given(parser, colour_by);
      if (parser.isSet(dark) || parser.isSet(light))
        job.theme = wants_dark ? Theme::dark : Theme::light;
      const QString fault = headless_export(job);
      return fault.isEmpty() ? 0 : refuse(fault);
    }
    MainWindow window;
    if (parser.isSet(size)) window.resize(size_option(parser.value(size), smallest_window));
    window.show();
    if (wish)
      window.show_lesson(*wish);
    else
      window.open_paths(files);
    return QApplication::exec();
  } catch (const std::exception& error) {
    return refuse(QString::fromStdString(vacancy::fault_sentence(error)));
  }
}
