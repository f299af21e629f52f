// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <catch2/catch.hpp>

#include "gui/app/main_window.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy::gui::test {

/// Settings of its own, so that no test sees those of a user or of another test.
struct Home {
  Home() {
    QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder.path());
    qputenv("XDG_CACHE_HOME", folder.path().toUtf8());
  }
  QTemporaryDir folder;
};

inline QString scenario(const char* name) {
  return QString::fromStdString(vacancy::test::source_file("/scenarios/")) + QLatin1String(name);
}

inline void open_and_wait(MainWindow& window, const QStringList& paths) {
  window.open_paths(paths);
  const auto over = [&](RunSession& s) { return s.has_run() && s.recording().over(); };
  REQUIRE(QTest::qWaitFor(
      [&] { return over(window.session()) && (paths.size() < 2 || over(window.other())); }, 20000));
  QCoreApplication::processEvents();
}

}  // namespace vacancy::gui::test
