// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "gui/app/main_window.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// Settings of its own, so that no test sees those of a user or of another test.
struct Home {
  Home() {
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
  }
  QTemporaryDir folder;
};

/// A window on the screen there is, with such settings.
struct ShownWindow {
  ShownWindow() { window.show(); }
  Home home;
  gui::MainWindow window;
};

inline QString scenario_path(const char* name) {
  return QString::fromStdString(source_file("/scenarios/")) + QLatin1String(name);
}

/// Opens one file, or two side by side, and waits until their runs are over.
inline void open_and_wait(gui::MainWindow& window, const QStringList& paths) {
  QSignalSpy first(&window.session(), &gui::RunSession::replaced);
  QSignalSpy second(&window.other(), &gui::RunSession::replaced);
  window.open_paths(paths);
  const auto over = [](const QSignalSpy& replaced, gui::RunSession& s) {
    return replaced.count() > 0 && s.has_run() && s.recording().over();
  };
  REQUIRE(QTest::qWaitFor(
      [&] {
        return over(first, window.session()) && (paths.size() < 2 || over(second, window.other()));
      },
      120'000));
  QCoreApplication::processEvents();
}

}  // namespace vacancy::test
