// SPDX-License-Identifier: Apache-2.0
// vacancy-gui as it is called: pictures without a screen, and faults in one sentence with code 2.
#include <QFile>
#include <QFileInfo>
#include <catch2/catch.hpp>

#include "tests/gui/program/program.hpp"

namespace {

using namespace vacancy::test;

const Program::Variables no_screen = {{QStringLiteral("DISPLAY"), {}},
                                      {QStringLiteral("WAYLAND_DISPLAY"), {}},
                                      {QStringLiteral("QT_QPA_PLATFORM"), {}}};

TEST_CASE("without a screen it writes pictures, and says that it shows no window") {
  const QString scenario = scenario_path("seed/evict_14k_of_16k.json");
  QTemporaryDir folder;
  for (const auto& [view, name, start] : {std::tuple("map", "map.png", "\x89PNG"),
                                          {"timeline", "timeline.svg", "<?xml"},
                                          {"map", "map.pdf", "%PDF-"},
                                          {"series", "series.csv", "time_ns,event,live"}}) {
    CAPTURE(name);
    const QString out = folder.filePath(QLatin1String(name));
    Program program(gui_program(),
                    {QStringLiteral("--export"), out, QStringLiteral("--at"), QStringLiteral("0.5"),
                     QStringLiteral("--view"), QLatin1String(view), scenario},
                    no_screen);
    INFO(program.errors().toStdString());
    REQUIRE(program.exit_code() == 0);
    QFile file(out);
    REQUIRE(file.open(QIODevice::ReadOnly));
    CHECK(file.readAll().startsWith(start));
  }
  Program program(gui_program(), {scenario}, no_screen);
  CHECK(program.exit_code() == 2);
  CHECK(program.errors().contains(QStringLiteral("there is no screen here")));
}

TEST_CASE("what is wrong with a call is one sentence, and code 2") {
  const QString scenario = scenario_path("seed/evict_14k_of_16k.json");
  QTemporaryDir folder;
  const QString out = folder.filePath(QStringLiteral("a.png"));
  const std::pair<QStringList, const char*> faults[] = {
      {{"--nonsense"}, "nonsense"},
      {{"a", "b", "c"}, "3 files"},
      {{"--seed", "7"}, "name one with --lesson"},
      {{"--lesson", "99"}, "there are 1, 2"},
      {{"--lesson", "2", scenario}, "leave out"},
      {{"--export", out}, "needs one scenario"},
      {{"--export", out, "--view", "sky", scenario}, "is none of map, timeline"},
      {{"--export", out, "--size", "1x1", scenario}, "is not WIDTHxHEIGHT"},
      {{"--export", out, "--at", "noon", scenario}, "neither a share"},
      {{"--export", folder.filePath("a.bmp"), scenario}, "must end in .png"},
      {{"--export", out, folder.filePath("none.json")}, "no such file"}};
  for (const auto& [arguments, words] : faults) {
    CAPTURE(words);
    Program program(gui_program(), arguments,
                    {{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen")}});
    CHECK(program.exit_code() == 2);
    const QString errors = program.errors();
    INFO(errors.toStdString());
    CHECK(errors.contains(QLatin1String(words)));
    // Qt may have a word of its own about the system.
    const QStringList lines = errors.split('\n', Qt::SkipEmptyParts);
    CHECK(lines.last().contains(QLatin1String(words)));
  }
  CHECK_FALSE(QFileInfo::exists(out));
}

TEST_CASE("--help and --version answer") {
  for (const char* option : {"--help", "--version"}) {
    Program program(gui_program(), {QLatin1String(option)}, no_screen);
    CHECK(program.exit_code() == 0);
    CHECK(program.process.readAllStandardOutput().contains("vacancy-gui"));
  }
}

}  // namespace
