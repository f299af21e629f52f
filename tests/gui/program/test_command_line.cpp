// SPDX-License-Identifier: Apache-2.0
// vacancy-gui as it is called: pictures without a screen, and faults in one sentence with code 2.
#include <sys/stat.h>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QSize>
#include <QtEndian>
#include <catch2/catch.hpp>
#include <string_view>

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
  const QString without_map = scenario_path("serving/sglang_longest_prefix_first.json");
  const std::pair<QStringList, const char*> faults[] = {
      {{"--nonsense"}, "nonsense"},
      {{"a", "b", "c"}, "3 files"},
      {{"--seed", "7"}, "name one with --lesson"},
      {{"--lesson", "99"}, "there are 1, 2"},
      {{"--lesson", "2", scenario}, "leave out"},
      {{"--export", out}, "needs one scenario"},
      {{"--export", out, "--view", "sky", scenario}, "is none of map, timeline"},
      {{"--export", out, "--size", "1x1", scenario}, "is not WIDTHxHEIGHT"},
      {{"--export", out, "--size", "479x400", scenario}, "between 480x320 and"},
      {{"--export", out, "--size", "480x320", "--view", "window", scenario}, "between 800x560"},
      {{"--size", "10x10", scenario}, "--size: “10x10”"},
      {{"--export", out, "--at", "noon", scenario}, "neither a share"},
      {{"--export", out, "--at", "1.5", scenario}, "neither a share"},
      {{"--export", out, "--at", "#99999999", scenario}, "no event #99999999"},
      {{"--export", out, "--at", "#99999999999999999999999", scenario}, "no event #999"},
      {{"--export", out, "--at", "30s", scenario}, "30s is after the end of the run"},
      {{"--export", out, "--zoom", "abc", scenario}, "from 1 to 136"},
      {{"--export", out, "--zoom", "0", scenario}, "from 1 to 136"},
      {{"--export", out, "--zoom", "137", scenario}, "from 1 to 136"},
      {{"--export", out, "--zoom", "13.5", "--view", "window", scenario}, "from 1 to 136"},
      {{"--export", out, "--zoom", "", scenario}, "from 1 to 136"},
      {{"--export", out, "--zoom", "13", "--view", "timeline", scenario}, "--zoom has no effect"},
      {{"--export", out, "--select", "abc", scenario}, "neither a block (674) nor a sequence"},
      {{"--export", out, "--select", "-1", scenario}, "neither a block (674) nor a sequence"},
      {{"--export", out, "--select", "99999", "--view", "window", scenario}, "no block 99999"},
      {{"--export", out, "--select", "s77", scenario}, "sequence 77 has no blocks"},
      {{"--export", out, "--select", "1", "--view", "series", scenario}, "--select has no effect"},
      {{"--export", out, "--colour-by", "taste", scenario},
       "state, sequence, references, age or score"},
      {{"--export", out, "--colour-by", "score", scenario}, "choose it with --select"},
      {{"--export", out, "--colour-by", "score", "--select", "s0", "--at", "#3", scenario},
       "no round of this sequence was yet"},
      {{"--export", out, "--colour-by", "age", "--view", "start"}, "--colour-by has no effect"},
      {{"--export", out, "--colour-by", "age", "--view", "window", scenario, scenario},
       "--colour-by has no effect"},
      {{"--zoom", "13", scenario}, "--zoom belongs to a picture"},
      {{"--lesson", "2x"}, "“2x” is none"},
      {{"--lesson", "2", "--seed", "-1"}, "--seed: “-1” is no integer"},
      {{"--lesson", "2", "--step", "x"}, "--step: “x”"},
      {{"--lesson", "2", "--step", "0"}, "--step: “0”"},
      {{"--lesson", "2", "--step", "99"}, "no step 99"},
      {{"--export", out, "--lesson", "2", "--step", "99"}, "no step 99"},
      {{"--lesson", "2", "--step", "3", "--answer", "nan"}, "--answer: “nan”"},
      {{"--lesson", "2", "--step", "3", "--answer", "99999"}, "from 0 to 1,000 blocks"},
      {{"--lesson", "2", "--step", "3", "--answer", "70.5"}, "from 0 to 1,000 blocks"},
      {{"--lesson", "2", "--step", "1", "--answer", "7"}, "asks for no number"},
      {{"--lesson", "1", "--step", "4", "--answer", "7"}, "asks for no number"},
      {{"--export", folder.filePath("a.bmp"), scenario}, "must end in .png, .svg or .pdf"},
      {{"--export", out, "--view", "series", scenario}, "must end in .csv"},
      {{"--export", folder.filePath("a.svg"), "--view", "window", scenario}, "must end in .png"},
      {{"--export", out, "--view", "series", "--size", "800x600", scenario},
       "--size has no effect"},
      {{"--export", out, "--view", "series", "--dark", scenario},
       "--dark or --light has no effect"},
      {{"--dark", "--light", scenario}, "contradict each other"},
      {{"--export", out, "--view", "map", "--lesson", "2"}, "--view has no effect with --lesson"},
      {{"--export", out, "--at", "0.5", "--lesson", "2"}, "--at has no effect with --lesson"},
      {{"--export", out, "--view", "keys", scenario}, "shows no file; leave out"},
      {{"--export", out, "--view", "sweep", scenario}, "is no sweep"},
      {{"--export", out, "--zoom", "13", without_map},
       "--zoom: This engine's cache is a radix tree"},
      {{"--export", out, "--colour-by", "age", without_map}, "--colour-by: This engine's cache"},
      {{"--export", out, folder.filePath("none.json")}, "no such file"},
      {{"--export", out, "--view", "editor", folder.filePath("none.json")}, "no such file"},
      {{"--export", out, "--view", "editor", folder.path()}, "is a folder"},
      {{"--export", out, "--view", "editor", ""}, "no such file"},
      {{"--export", out, "--view", "editor", scenario_path("sweeps/block_size.json")},
       "is a sweep"},
      {{"--export", out, "--view", "sweep", folder.filePath("none.json")}, "no such file"}};
  for (const auto& [arguments, words] : faults) {
    CAPTURE(words);
    Program program(gui_program(), arguments,
                    {{QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen")}});
    CHECK(program.exit_code() == 2);
    const QString errors = program.errors();
    INFO(errors.toStdString());
    CHECK(errors.contains(QString::fromUtf8(words)));
    // Qt may have a word of its own about the system.
    const QStringList lines = errors.split('\n', Qt::SkipEmptyParts);
    CHECK(lines.last().contains(QString::fromUtf8(words)));
  }
  CHECK_FALSE(QFileInfo::exists(out));
}

TEST_CASE("nothing that is no plain file is replaced by an export") {
  const QString scenario = scenario_path("seed/evict_14k_of_16k.json");
  QTemporaryDir folder;
  const QString pipe = folder.filePath(QStringLiteral("pipe"));
  REQUIRE(mkfifo(QFile::encodeName(pipe).constData(), 0600) == 0);
  for (const char* view : {"map", "window", "editor", "series", "start"}) {
    CAPTURE(view);
    const QLatin1String ending(view == std::string_view("series") ? ".csv" : ".png");
    const QString link = folder.filePath(QStringLiteral("link") + ending);
    const QString inner = folder.filePath(QStringLiteral("inner") + ending);
    if (!QFileInfo::exists(link)) REQUIRE(QFile::link(pipe, link));
    REQUIRE(QDir(folder.path()).mkpath(inner));
    const QString nowhere = folder.filePath(QStringLiteral("no/such/a") + ending);
    for (const auto& [out, words] : {std::pair(link, "is there, and is not a plain file"),
                                     {inner, "is a folder; name the file"},
                                     {nowhere, "cannot be written: there is no folder"}}) {
      QStringList arguments{"--export", out, "--view", QLatin1String(view)};
      if (view != std::string_view("start")) arguments.append(scenario);
      Program program(gui_program(), arguments, no_screen);
      CHECK(program.exit_code() == 2);
      const QString errors = program.errors();
      INFO(errors.toStdString());
      CHECK(errors.contains(QString::fromUtf8(words)));
    }
    struct stat there;
    REQUIRE(stat(QFile::encodeName(pipe).constData(), &there) == 0);
    CHECK(S_ISFIFO(there.st_mode));
  }
}

TEST_CASE("a map is exported in every colouring that --help names") {
  Program help(gui_program(), {QStringLiteral("--help")}, no_screen);
  REQUIRE(help.exit_code() == 0);
  const QString words = QString::fromUtf8(help.process.readAllStandardOutput()).simplified();
  CHECK(words.contains(QStringLiteral("state, sequence, references, age or score")));
  QTemporaryDir folder;
  QByteArrayList pictures;
  for (const char* colouring : {"state", "sequence", "references", "age", "score"}) {
    const QString out = folder.filePath(QLatin1String(colouring) + QStringLiteral(".png"));
    Program program(gui_program(),
                    {"--export", out, "--colour-by", QLatin1String(colouring), "--zoom", "18",
                     "--select", "s0", scenario_path("seed/evict_14k_of_16k.json")},
                    no_screen);
    INFO(program.errors().toStdString());
    REQUIRE(program.exit_code() == 0);
    QFile file(out);
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QByteArray bytes = file.readAll();
    CHECK_FALSE(pictures.contains(bytes));
    pictures.append(bytes);
  }
}

TEST_CASE("the sheet of a small map is as small as the map") {
  QTemporaryDir folder;
  const auto size_of = [&](const QStringList& more) {
    const QString out = folder.filePath(QStringLiteral("a.png"));
    Program program(
        gui_program(),
        QStringList{"--export", out, scenario_path("seed/evict_14k_of_16k.json")} + more,
        no_screen);
    INFO(program.errors().toStdString());
    REQUIRE(program.exit_code() == 0);
    QFile file(out);
    REQUIRE(file.open(QIODevice::ReadOnly));
    const QByteArray head = file.read(24);  // of a PNG: width and height at its bytes 16 and 20
    return QSize(static_cast<int>(qFromBigEndian<quint32>(head.constData() + 16)),
                 static_cast<int>(qFromBigEndian<quint32>(head.constData() + 20))) /
           2;
  };
  const QSize whole = size_of({}), small = size_of({"--zoom", "4"});
  CHECK(whole == QSize(1600, 1000));
  CHECK(small.width() < whole.width());
  CHECK(small.height() < whole.height());
  CHECK(size_of({"--zoom", "136"}) == whole);
  CHECK(size_of({"--zoom", "4", "--size", "1600x1000"}) == whole);
}

TEST_CASE("a table ends at the moment that --at says") {
  QTemporaryDir folder;
  const auto rows_of = [&](const QStringList& more) {
    const QString out = folder.filePath(QStringLiteral("a.csv"));
    Program program(
        gui_program(),
        QStringList{"--export", out, "--view", "series", scenario_path("seed/steady_state.json")} +
            more,
        no_screen);
    INFO(program.errors().toStdString());
    REQUIRE(program.exit_code() == 0);
    QFile file(out);
    REQUIRE(file.open(QIODevice::ReadOnly));
    return file.readAll().split('\n');
  };
  const auto whole = rows_of({}), part = rows_of({"--at", "#5000"});
  REQUIRE(part.size() > 2);
  REQUIRE(part.size() < whole.size());
  const auto event_of = [](const QByteArray& row) { return row.split(',')[1].toULongLong(); };
  const qsizetype rows = part.size() - 1;  // the last one is empty
  CHECK(part.mid(0, rows) == whole.mid(0, rows));
  CHECK(event_of(part[rows - 1]) <= 5000);
  CHECK(event_of(whole[rows]) > 5000);
}

TEST_CASE("--help and --version answer") {
  for (const char* option : {"--help", "--version"}) {
    Program program(gui_program(), {QLatin1String(option)}, no_screen);
    CHECK(program.exit_code() == 0);
    CHECK(program.process.readAllStandardOutput().contains("vacancy-gui"));
  }
}

}  // namespace
