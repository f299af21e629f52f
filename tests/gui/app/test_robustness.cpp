// SPDX-License-Identifier: Apache-2.0
// What a window must survive: files that are no scenarios, and runs that are left while they go on.
#include <sys/stat.h>
#include <QClipboard>
#include <QDir>
#include <QGuiApplication>
#include <QSignalSpy>
#include <filesystem>
#include <memory>

#include "gui/model/recorded_run.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"
#include "tests/gui/app/garbage_files.hpp"
#include "tests/gui/app/window_fixture.hpp"
#include "tests/support/scenario_files.hpp"

namespace {

using namespace vacancy::gui;
using namespace vacancy::test;

/// Far more than a test waits for.
constexpr char endless[] = R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16},
  "eviction": {"policy": "random", "scope": "model", "budget": 512, "interval": 64},
  "reclaim": {"kind": "slide"}, "workload": {"sequences": 4, "output_tokens": 40000000}})";

QString file_with(const Home& home, const QString& name, const QByteArray& bytes) {
  QFile file(home.folder.filePath(name));
  REQUIRE(file.open(QIODevice::WriteOnly));
  REQUIRE(file.write(bytes) == bytes.size());
  return file.fileName();
}

/// Opens a run that will not end and waits until some of it is shown.
void open_endless(MainWindow& window, const QString& path) {
  window.open_paths({path});
  REQUIRE(QTest::qWaitFor(
      [&] { return window.session().has_run() && window.session().recording().events() > 1'000; },
      120'000));
}

TEST_CASE("thirty files that are no scenarios: each is refused in words, the run stays", "[slow]") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  const std::uint64_t state = window.session().replica().hash();
  const QList<QByteArray> files = garbage_files();
  REQUIRE(files.size() == 30);
  for (qsizetype i = 0; i < files.size(); ++i) {
    CAPTURE(i);
    const QString path = file_with(shown.home, QStringLiteral("garbage%1.json").arg(i), files[i]);
    window.message().hide();
    window.open_paths({path});
    REQUIRE(QTest::qWaitFor([&] { return window.message().isVisible(); }, 120'000));
    CHECK_FALSE(window.message().text().isEmpty());
    REQUIRE(window.session().has_run());
    CHECK(window.session().replica().hash() == state);
    CHECK_FALSE(window.grab().isNull());
  }
  open_and_wait(window, {scenario_path("synthetic/one_survivor_per_block.json")});
  CHECK_FALSE(window.message().isVisible());
}

TEST_CASE("a folder, a missing file, a pipe and a device are refused, and nothing waits for them") {
  ShownWindow shown;
  const QString pipe = shown.home.folder.filePath(QStringLiteral("pipe.json"));
  REQUIRE(mkfifo(QFile::encodeName(pipe).constData(), 0600) == 0);
  for (const QString& path :
       {shown.home.folder.path(), shown.home.folder.filePath(QStringLiteral("missing.json")), pipe,
        QStringLiteral("/dev/zero")}) {
    CAPTURE(path.toStdString());
    shown.window.message().hide();
    shown.window.open_paths({path});
    REQUIRE(QTest::qWaitFor([&] { return shown.window.message().isVisible(); }, 120'000));
    CHECK_FALSE(shown.window.session().has_run());
  }
}

TEST_CASE("a window is closed while its runs go on, or one of two is let go") {
  for (int i = 0; i < 4; ++i) {
    ShownWindow shown;
    const QString path = file_with(shown.home, QStringLiteral("endless.json"), endless);
    if (i == 0) {
      shown.window.open_paths({path, path});  // closed before either began
    } else if (i == 1) {
      open_endless(shown.window, path);
    } else {
      shown.window.open_paths({path, path});
      REQUIRE(QTest::qWaitFor(
          [&] { return shown.window.session().has_run() && shown.window.other().has_run(); },
          120'000));
      if (i == 3) {
        shown.window.commands()["end_compare"]->trigger();
        CHECK_FALSE(shown.window.comparing());
        QTest::qWait(50);
        CHECK_FALSE(shown.window.other().has_run());
      }
    }
    shown.window.close();
  }
}

TEST_CASE("a run beside that is let go before it began does not come back") {
  ShownWindow shown;
  const QString path = file_with(shown.home, QStringLiteral("endless.json"), endless);
  shown.window.open_paths({path, path});
  shown.window.commands()["end_compare"]->trigger();
  QTest::qWait(200);
  CHECK_FALSE(shown.window.other().has_run());
}

TEST_CASE("of two runs side by side, the first stays in view when the second one goes") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  const QString a = scenario_path("seed/evict_14k_of_16k.json");
  const QString b = scenario_path("synthetic/one_survivor_per_block.json");
  const auto shows_first_alone = [&] {
    CHECK_FALSE(window.comparing());
    CHECK(window.run_page().isVisible());
    CHECK_FALSE(window.run_page().map().scene().pool.flags.empty());
    CHECK_FALSE(window.grab().isNull());
  };
  for (const QString& next : {b, file_with(shown.home, QStringLiteral("no.json"), "[]")}) {
    open_and_wait(window, {a, b});
    REQUIRE(window.comparing());
    window.open_paths({next});  // whose run has not begun yet
    shows_first_alone();
  }
  open_and_wait(window, {a, b});
  window.message().hide();
  Q_EMIT window.other().refused(QStringLiteral("a sentence"));
  CHECK(window.message().isVisible());
  shows_first_alone();
}

TEST_CASE("runs that go on are swapped with what they will become") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  const QString first = file_with(shown.home, QStringLiteral("first.json"), endless);
  const QString second = file_with(shown.home, QStringLiteral("second.json"), endless);
  window.open_paths({first, second});
  RunSession &a = window.session(), &b = window.other();
  REQUIRE(QTest::qWaitFor([&] { return a.has_run() && b.has_run(); }, 120'000));
  const auto run_a = a.shared_recording(), run_b = b.shared_recording();
  window.commands()["swap_runs"]->trigger();
  CHECK(a.path() == second);
  CHECK(b.path() == first);
  QSignalSpy grew_a(&a, &RunSession::grew), grew_b(&b, &RunSession::grew);
  REQUIRE(QTest::qWaitFor([&] { return grew_a.count() > 0 && grew_b.count() > 0; }, 120'000));
  a.cancel();
  REQUIRE(QTest::qWaitFor([&] { return run_b->over(); }, 120'000));
  CHECK(a.shared_recording() == run_b);
  CHECK_FALSE(run_a->over());
  CHECK(b.running());
}

TEST_CASE("a map that nobody sees holds nothing of a moment that may pass") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  const auto scene_is_there = [&] { return !window.run_page().map().scene().pool.flags.empty(); };
  REQUIRE(scene_is_there());
  window.show_start_page();
  window.session().seek(0);
  CHECK_FALSE(scene_is_there());
  QGuiApplication::clipboard()->setText(QStringLiteral("kept"));
  window.commands()["copy_map"]->trigger();
  CHECK(QGuiApplication::clipboard()->text() == QStringLiteral("kept"));
  window.hide();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  window.show();
  CHECK(scene_is_there());
}

TEST_CASE("a changed scenario comes back from the start page without a word from Qt") {
  static QStringList words;
  words.clear();
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  window.document().set_text(window.document().text() + '\n');
  window.show_start_page();
  CHECK_FALSE(window.isWindowModified());
  const auto before = qInstallMessageHandler(
      [](QtMsgType, const QMessageLogContext&, const QString& word) { words.append(word); });
  QSignalSpy replaced(&window.session(), &RunSession::replaced);
  window.session().reload();
  CHECK(QTest::qWaitFor([&] { return replaced.count() > 0; }, 120'000));
  qInstallMessageHandler(before);
  CHECK(window.isWindowModified());
  CHECK(words.filter(QStringLiteral("setWindowModified")).isEmpty());
}

TEST_CASE("playing from the end tells at once that the moment is the start") {
  ShownWindow shown;
  RunSession& session = shown.window.session();
  open_and_wait(shown.window, {scenario_path("seed/evict_14k_of_16k.json")});
  session.seek(session.recording().events());
  QSignalSpy told(&session, &RunSession::moment_changed);
  session.play(true);
  CHECK(session.moment() == 0);
  CHECK(told.count() == 1);
}

TEST_CASE("a cancelled run stays as far as it came, and says so") {
  ShownWindow shown;
  MainWindow& window = shown.window;
  open_endless(window, file_with(shown.home, QStringLiteral("endless.json"), endless));
  // Steps and seeks while it grows.
  window.commands()["first"]->trigger();
  window.commands()["events_on"]->trigger();
  CHECK(window.session().moment() == 10);
  window.commands()["stop"]->trigger();
  REQUIRE(QTest::qWaitFor([&] { return window.session().recording().over(); }, 120'000));
  REQUIRE(QTest::qWaitFor([&] { return window.message().isVisible(); }, 120'000));
  CHECK(window.message().text().startsWith(QStringLiteral("Cancelled at ")));
  CHECK(window.session().recording().state() == RunState::cancelled);
  window.commands()["last"]->trigger();
  CHECK(window.session().moment() == window.session().recording().events());
}

/// Opens every scenario and sweep of the project in one window, and waits for `enough` of a run.
void open_every_scenario(const std::function<bool(const Recording&)>& enough) {
  ShownWindow shown;
  MainWindow& window = shown.window;
  window.resize(900, 600);
  std::vector<std::filesystem::path> files = scenario_files(source_dir() / "scenarios");
  const auto sweeps = sweep_files(source_dir() / "scenarios");
  files.insert(files.end(), sweeps.begin(), sweeps.end());
  REQUIRE(files.size() > 40);
  int opened = 0;
  for (const auto& file : files) {
    CAPTURE(file);
    const QString path = QString::fromStdString(file.string());
    window.message().hide();
    if (file.parent_path().filename() == "sweeps") {
      window.open_paths({path});
      CHECK_FALSE(window.message().isVisible());
      CHECK(window.session().path() != path);
      continue;
    }
    QSignalSpy replaced(&window.session(), &RunSession::replaced);
    window.open_paths({path});
    REQUIRE(QTest::qWaitFor(
        [&] {
          return window.message().isVisible() ||
                 (replaced.count() > 0 && enough(window.session().recording()));
        },
        60'000));
    if (replaced.count() == 0) {  // data that is not in the project, or not here
      INFO(window.message().text().toStdString());
      CHECK_THROWS_AS(
          RecordedRun(std::make_shared<const vacancy::Scenario>(vacancy::load_scenario(file))),
          vacancy::UserError);
      continue;
    }
    ++opened;
    CHECK(replaced.count() == 1);
    CHECK(window.session().path() == path);
    CHECK((window.session().has_map() || !window.session().recording().missing().empty()));
    window.session().seek(window.session().recording().events());
    CHECK_FALSE(window.grab().isNull());
  }
  CHECK(opened > 20);
}

TEST_CASE("every scenario of the project opens: the first thousand events of each", "[slow]") {
  open_every_scenario([](const Recording& r) { return r.over() || r.events() > 1'000; });
}

TEST_CASE("every scenario of the project, to its end", "[.][scenarios]") {
  open_every_scenario([](const Recording& r) { return r.over(); });
}

}  // namespace
