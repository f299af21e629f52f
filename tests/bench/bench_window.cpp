// SPDX-License-Identifier: Apache-2.0
// How long the thread of the window is held up while a run goes on: a timer of one millisecond in
// that thread, and the time between its ticks. Watched to the end, then with a hand that jumps to
// another moment every fifth of a second. Beside the time on the wall stands the thread's own: what
// other programs of the machine took is not the window's fault.
#include <QApplication>
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QSettings>
#include <QTemporaryDir>
#include <QTimer>
#include <algorithm>
#include <cstdio>
#include <ctime>
#include <random>
#include <string>
#include <vector>

#include "gui/app/keep_memory.hpp"
#include "gui/app/main_window.hpp"
#include "tests/bench/bench_runs.hpp"

namespace {

using namespace vacancy::gui;

double thread_ms() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

/// Times between ticks, in milliseconds.
struct Holdups {
  std::vector<double> wall, own;

  double worst(std::vector<double>& times) { return *std::max_element(times.begin(), times.end()); }
  double high(std::vector<double>& times) {  // of a thousand ticks, one is later
    std::sort(times.begin(), times.end());
    return times[times.size() * 999 / 1000];
  }
};

void measure(const char* name, const QString& folder, const std::string& text, bool jump) {
  const QString path = folder + QStringLiteral("/run.json");
  QFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return;
  file.write(text.c_str());
  file.close();
  MainWindow window;
  window.resize(1600, 1000);
  window.show();
  QApplication::processEvents();

  Holdups holdups;
  QElapsedTimer wall;
  double own = thread_ms();
  QTimer tick;
  tick.setTimerType(Qt::PreciseTimer);
  tick.setInterval(1);
  QObject::connect(&tick, &QTimer::timeout, [&] {
    const double now = thread_ms();
    holdups.wall.push_back(static_cast<double>(wall.nsecsElapsed()) / 1e6);
    holdups.own.push_back(now - own);
    wall.start();
    own = now;
    if (window.session().has_run() && window.session().recording().over()) QApplication::quit();
  });
  QTimer hand;
  std::mt19937_64 engine(1);
  QObject::connect(&hand, &QTimer::timeout, [&] {
    RunSession& session = window.session();
    if (session.has_run()) session.seek(engine() % (session.recording().events() + 1));
  });
  wall.start();
  tick.start();
  if (jump) hand.start(200);
  window.open_paths({path});
  QApplication::exec();
  QApplication::processEvents();
  std::printf(
      "%-24s %-8s %10llu events, %6zu ticks: held up worst %6.1f ms (own %6.1f), 99.9 %% "
      "%6.1f ms (own %6.1f)\n",
      name, jump ? "jumping" : "watched",
      static_cast<unsigned long long>(window.session().recording().events()), holdups.wall.size(),
      holdups.worst(holdups.wall), holdups.worst(holdups.own), holdups.high(holdups.wall),
      holdups.high(holdups.own));
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char* argv[]) {
  if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
  keep_memory();
  QApplication application(argc, argv);
  const QTemporaryDir folder;
  QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
  qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
  const QStringList arguments = QApplication::arguments();
  const std::uint64_t events = arguments.size() > 1 ? arguments[1].toULongLong() : 1'000'000;
  using namespace vacancy::bench;
  for (const bool jump : {false, true}) {
    measure("lockstep, one set", folder.path(), lockstep_text(events, "model", 20'000), jump);
    measure("lockstep, 288 sets", folder.path(),
            lockstep_text(events, "per_layer_per_head", 20'000), jump);
    measure("lockstep, 4 M blocks", folder.path(), lockstep_text(events, "model", 4'000'000), jump);
    measure("vLLM, conversations", folder.path(), serving_text(events, 16'384), jump);
  }
}
