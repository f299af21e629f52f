// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QSettings>
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

/// Whether a session has shown the end of the run that it is about to open. The recording alone is
/// over a little earlier.
struct EndShown {
  explicit EndShown(const gui::RunSession& session) {
    QObject::connect(&session, &gui::RunSession::grew, &context,
                     [&session, this] { yes = session.recording().over(); });
  }
  QObject context;
  bool yes = false;
};

/// Opens one file, or two side by side, and waits until the ends of their runs are shown.
inline void open_and_wait(gui::MainWindow& window, const QStringList& paths) {
  const EndShown first(window.session()), second(window.other());
  window.open_paths(paths);
  REQUIRE(QTest::qWaitFor([&] { return first.yes && (paths.size() < 2 || second.yes); }, 120'000));
  QCoreApplication::processEvents();
}

}  // namespace vacancy::test
