// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <QCoreApplication>
#include <QProcess>
#include <QProcessEnvironment>
#include <QString>
#include <QStringList>
#include <QTemporaryDir>
#include <utility>

#include "tests/support/source_dir.hpp"

namespace vacancy::test {

/// QProcess asks for one.
inline QCoreApplication& application() {
  static int argc = 1;
  static char name[] = "test";
  static char* argv[] = {name, nullptr};
  static QCoreApplication app(argc, argv);
  return app;
}

/// The program as a user starts it, in an environment without a user's settings.
struct Program {
  using Variables = QList<std::pair<QString, QString>>;

  /// An empty value takes a variable away.
  Program(const QString& path, const QStringList& arguments, const Variables& more) {
    application();
    QProcessEnvironment variables = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_CACHE_HOME"})
      variables.insert(QLatin1String(name), home.path());
    for (const auto& [name, value] : more)
      value.isEmpty() ? variables.remove(name) : variables.insert(name, value);
    process.setProcessEnvironment(variables);
    process.start(path, arguments);
  }
  ~Program() {
    if (process.state() == QProcess::NotRunning) return;
    process.kill();
    process.waitForFinished();
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  /// Its exit code; −1 if it crashed or does not end.
  int exit_code(int patience_ms = 60'000) {
    if (process.state() != QProcess::NotRunning && !process.waitForFinished(patience_ms)) return -1;
    return process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
  }
  QString errors() { return QString::fromUtf8(process.readAllStandardError()); }

  QTemporaryDir home;
  QProcess process;
};

inline QString gui_program() {
  return qEnvironmentVariable("VACANCY_GUI_PROGRAM");
}
inline QString scenario_path(const char* name) {
  return QString::fromStdString(source_file("/scenarios/")) + QLatin1String(name);
}

}  // namespace vacancy::test
