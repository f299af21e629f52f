// SPDX-License-Identifier: Apache-2.0
#include <QComboBox>
#include <QPushButton>
#include <QSignalSpy>
#include <QThreadPool>
#include <algorithm>

#include "gui/app/app_settings.hpp"
#include "gui/widgets/theme.hpp"
#include "tests/gui/app/window_fixture.hpp"
#include "tests/gui/gui_scenarios.hpp"

namespace {

using namespace vacancy::gui;
using vacancy::test::Home;
using vacancy::test::open_and_wait;
using vacancy::test::scenario_path;

TEST_CASE("a scenario becomes a map whose classes are all of the pool") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  RunSession& session = window.session();
  REQUIRE(session.has_map());
  const ReplicaFigures& figures = session.replica().figures();
  CHECK(figures.slots.total() == figures.blocks * session.recording().shape().block_size);
  // What the window says is what the command line says.
  REQUIRE(session.recording().summary() != nullptr);
  CHECK(
      static_cast<std::uint64_t>(figures.blocks_freed) ==
      static_cast<std::uint64_t>(session.recording().summary()->reclaim.blocks_freed_by_eviction));
  CHECK(session.figures()[1].value == QStringLiteral("14,000"));
  CHECK(window.run_page().map().layout().blocks() == 1000);
  CHECK(window.windowTitle().startsWith(QStringLiteral("seed/evict_14k_of_16k.json")));
  // Every block's cell shows its class.
  const QImage shown =
      window.run_page().map().grab().toImage().convertToFormat(QImage::Format_RGB32);
  const MapView& map = window.run_page().map();
  const PoolView view = session.replica().view();
  const Palette& p = palette_of(application_theme());
  for (std::uint32_t b = 0; b < 1000; ++b) {
    const QRect cell = map.layout().cell(b).translated(map.cells_area().topLeft());
    const QRgb foot =
        shown.pixel(cell.right() - map.layout().gap(), cell.bottom() - map.layout().gap());
    const BlockClass c = (view.flags[b] & BlockFlag::held) == 0 ? BlockClass::free
                         : view.live[b] > 0 ? live_class_of(view.flags[b], view.references[b])
                                            : BlockClass::hole;
    REQUIRE((foot == p.of(c) || foot == p.hatch(c)));
  }
}

TEST_CASE("a preview that is applied opens a fork: the same run up to the moment") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  window.session().seek(window.session().recording().events());
  window.selection().set_sequence(0);
  window.run_page().show_what_if();
  Q_EMIT window.run_page().what_if_bar().applied(QStringLiteral("slide"));
  RunSession& fork = window.other();
  REQUIRE(QTest::qWaitFor([&] { return fork.has_run() && fork.recording().over(); }, 120'000));
  const auto freed = [](RunSession& run) {
    return run.recording().summary()->reclaim.blocks_freed_by_eviction;
  };
  CHECK(freed(window.session()) == 122);
  CHECK(freed(fork) == 875);
  const std::uint64_t before = window.session().recording().events();
  CHECK(fork.recording().events() > before);
  fork.seek(before);
  CHECK(fork.replica().hash() == window.session().replica().hash());
}

TEST_CASE("a run of an engine forks at the end of a step") {
  const Home home;
  const QString path = home.folder.filePath(QStringLiteral("engine.json"));
  QFile file(path);
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(QByteArray::fromStdString(vacancy::test::small_serving("vllm-0.19.0", R"(,
      "eviction": {"policy": "random", "scope": "model", "budget": 256, "interval": 64,
                   "prompt": "evictable"}, "reclaim": {"kind": "none"})",
                                                                    600, 30)));
  file.close();
  MainWindow window;
  window.show();
  open_and_wait(window, {path});
  RunSession& session = window.session();
  const auto evicted_from = [&]() -> std::optional<std::uint32_t> {
    for (const auto& [id, sequence] : session.replica().sequences())
      if (!sequence->round_times.empty()) return id;
    return std::nullopt;
  };
  session.seek(session.recording().events() / 2);
  while (!evicted_from())
    REQUIRE(session.step(StepUnit::event, 1));
  window.selection().set_sequence(*evicted_from());
  window.run_page().show_what_if();
  const std::uint64_t moment = session.moment();
  const std::uint64_t before = session.replica().hash();
  CHECK(session.recording().step_end(moment) == moment);
  Q_EMIT window.run_page().what_if_bar().applied(QStringLiteral("slide"));
  RunSession& fork = window.other();
  REQUIRE(QTest::qWaitFor([&] { return fork.has_run() && fork.recording().over(); }, 120'000));
  CHECK(fork.recording().state() == RunState::finished);
  CHECK(fork.recording().fork()->plan.event == moment);
  fork.seek(moment);  // the other cursor goes on to the end of that time
  CHECK(fork.replica().hash() == before);
  CHECK(fork.recording().summary()->reclaim.blocks_freed_by_eviction >
        session.recording().summary()->reclaim.blocks_freed_by_eviction);
}

/// The evict scenario in a folder of the test, or a text in its place.
QString own_file(const Home& home, const QByteArray& text = {}) {
  QFile seed(scenario_path("seed/evict_14k_of_16k.json"));
  REQUIRE(seed.open(QIODevice::ReadOnly));
  QFile file(home.folder.filePath(QStringLiteral("own.json")));
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(text.isEmpty() ? seed.readAll() : text);
  return file.fileName();
}

TEST_CASE(
    "a preview goes when its run is no longer that of the file, and none comes before it is") {
  const Home home;
  MainWindow window;
  window.show();
  const QString path = own_file(home);
  open_and_wait(window, {path});
  RunSession& session = window.session();
  RunPage& page = window.run_page();
  WhatIfBar& bar = page.what_if_bar();
  const auto preview = [&] {
    session.seek(session.recording().events());
    window.selection().set_sequence(0);
    window.commands()["what_if"]->trigger();
    bar.findChild<QComboBox*>()->setCurrentText(QStringLiteral("slide"));
  };
  const auto all_enabled = [&](bool enabled) {
    for (const char* id : {"what_if", "compare", "export"}) {
      CAPTURE(id);
      CHECK(window.commands()[id]->isEnabled() == enabled);
    }
  };
  preview();
  REQUIRE(bar.isVisible());
  CHECK_FALSE(bar.moves().empty());
  all_enabled(true);
  QSignalSpy refused(&session, &RunSession::refused);
  own_file(home, "{}");
  window.commands()["reload"]->trigger();
  for (const bool read : {false, true}) {
    CAPTURE(read);
    if (read) REQUIRE(QTest::qWaitFor([&] { return refused.count() == 1; }, 120'000));
    page.show_what_if();
    CHECK_FALSE(bar.isVisible());
    CHECK(bar.moves().empty());
    Q_EMIT bar.applied(QStringLiteral("slide"));
    CHECK_FALSE(window.comparing());
  }
  REQUIRE(session.stale());
  CHECK(page.map().scene().strength < 1);
  all_enabled(false);
  // Of another file the run is not, whatever was opened.
  const QString other = home.folder.filePath(QStringLiteral("other.json"));
  QFile::copy(path, other);
  window.open_paths({other});
  REQUIRE(QTest::qWaitFor([&] { return refused.count() == 2; }, 120'000));
  CHECK(session.path() == path);
  CHECK(window.windowTitle().contains(QStringLiteral("other.json")));
  own_file(home);
  open_and_wait(window, {path});
  CHECK(page.map().scene().strength == 1);
  all_enabled(true);
  preview();
  CHECK(bar.isVisible());
  CHECK_FALSE(bar.moves().empty());
}

/// What the page of two runs says of A, or of B.
QString head_of(const ComparePage& page, QChar letter) {
  for (const QWidget* each : page.findChildren<QWidget*>())
    if (const QString name = each->accessibleName();
        name.startsWith(QStringLiteral("Run %1: ").arg(letter)))
      return name.mid(QStringLiteral("Run A: ").size());
  return {};
}

TEST_CASE(
    "swapped, a fork stays a fork, and all of A and B change places; again, all is as before") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {own_file(home)});
  RunSession &a = window.session(), &b = window.other();
  a.seek(a.recording().events());
  window.selection().set_sequence(0);
  window.run_page().show_what_if();
  Q_EMIT window.run_page().what_if_bar().applied(QStringLiteral("slide"));
  REQUIRE(QTest::qWaitFor([&] { return b.has_run() && b.recording().over(); }, 120'000));
  window.zoom_map({28, 1});
  window.selection().set_blocks({3});
  window.document().set_text(window.document().text() + '\n');
  const auto& page = *window.findChild<ComparePage*>();
  const auto settled = [&] {
    QCoreApplication::processEvents();
    QThreadPool::globalInstance()->waitForDone();  // where the two part
    QCoreApplication::processEvents();
    return window.grab().toImage();
  };
  a.seek(b.recording().events());
  const QImage before = settled();
  const QString title = window.windowTitle(), head_a = head_of(page, 'A'),
                head_b = head_of(page, 'B');
  const auto run_a = a.shared_recording(), run_b = b.shared_recording();
  const std::uint64_t event_a = a.moment(), event_b = b.moment();
  REQUIRE(run_b->fork());
  REQUIRE(head_a != head_b);
  const auto counts = [&] { return difference(a.replica().view(), b.replica().view()).counts; };
  const auto differing = counts();
  REQUIRE(differing[1] != differing[2]);

  window.commands()["swap_runs"]->trigger();
  const QImage swapped = settled();
  CHECK(swapped != before);
  CHECK(a.shared_recording() == run_b);  // not run again
  CHECK(b.shared_recording() == run_a);
  CHECK(a.moment() == event_b);
  CHECK(b.moment() == event_a);
  CHECK(head_of(page, 'A') == head_b);
  CHECK(head_of(page, 'B') == head_a);
  CHECK(counts()[1] == differing[2]);
  CHECK(counts()[2] == differing[1]);
  CHECK(window.windowTitle() != title);
  CHECK(window.selection().blocks() == std::vector<std::uint32_t>{3});

  window.commands()["swap_runs"]->trigger();
  CHECK(settled() == before);
  CHECK(window.windowTitle() == title);
  CHECK(window.document().text().ends_with("\n\n"));

  // Alone, and run again, the fork is one still; of itself it has no fork.
  window.commands()["swap_runs"]->trigger();
  window.commands()["end_compare"]->trigger();
  CHECK(window.windowTitle().contains(QStringLiteral("slide from")));
  QSignalSpy replaced(&a, &RunSession::replaced);
  a.reload();
  REQUIRE(QTest::qWaitFor([&] { return replaced.count() == 1 && a.recording().over(); }, 120'000));
  CHECK(a.recording().fork());
  window.selection().set_sequence(0);
  window.run_page().show_what_if();
  CHECK(window.run_page().what_if_bar().isVisible());
  for (const QPushButton* button : window.run_page().what_if_bar().findChildren<QPushButton*>())
    CHECK(button->isVisible() == (button->text() == QStringLiteral("Hide")));
}

TEST_CASE("of two files that are swapped the editor has that of A") {
  const Home home;
  MainWindow window;
  window.show();
  const QString file_a = scenario_path("seed/steady_state.json");
  const QString file_b = scenario_path("seed/evict_14k_of_16k.json");
  window.open_paths({file_a, file_b});
  RunSession &a = window.session(), &b = window.other();
  REQUIRE(QTest::qWaitFor([&] { return a.has_run() && b.has_run(); }, 120'000));
  window.commands()["swap_runs"]->trigger();
  CHECK(a.path() == file_b);
  CHECK(b.path() == file_a);
  CHECK(window.document().file() == file_b.toStdString());
  REQUIRE(QTest::qWaitFor([&] { return a.recording().over() && b.recording().over(); }, 120'000));
  window.commands()["end_compare"]->trigger();
  CHECK(a.path() == file_b);
  CHECK(a.recording().summary() != nullptr);
}

TEST_CASE("steps forth and back leave the same state") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  RunSession& session = window.session();
  session.seek(3);
  const std::uint64_t before = session.replica().hash();
  for (int i = 0; i < 5; ++i)
    window.commands()["event_on"]->trigger();
  CHECK(session.moment() == 8);
  for (int i = 0; i < 5; ++i)
    window.commands()["event_back"]->trigger();
  CHECK(session.moment() == 3);
  CHECK(session.replica().hash() == before);
}

TEST_CASE("two files stand side by side, with time, zoom and selection in common") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json"),
                         scenario_path("synthetic/one_survivor_per_block.json")});
  REQUIRE(window.comparing());
  window.session().seek_time(window.session().recording().end_ns() / 2);
  CHECK(window.other().time_ns() <= window.session().time_ns());
  auto* page = window.findChild<ComparePage*>();
  REQUIRE(page != nullptr);
  window.zoom_map({28, 1});
  for (const bool b : {false, true})
    CHECK(page->map(b).layout().zoom() == MapZoom{28, 1});
  const QImage before[] = {page->map(false).grab().toImage(), page->map(true).grab().toImage()};
  window.selection().set_blocks({3});
  for (const bool b : {false, true})
    CHECK(page->map(b).grab().toImage() != before[b ? 1 : 0]);
  window.commands()["end_compare"]->trigger();
  CHECK(!window.comparing());
}

TEST_CASE("two runs' timeline has the free blocks of the moment that the maps show", "[slow]") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/steady_state.json"),
                         scenario_path("seed/evict_14k_of_16k.json")});
  REQUIRE(window.comparing());
  auto* page = window.findChild<ComparePage*>();
  REQUIRE(page != nullptr);
  // Between two evictions blocks are taken one by one.
  for (const std::int64_t ms : {20'000, 20'050, 20'090}) {
    window.session().seek_time(ms * 1'000'000);
    QCoreApplication::processEvents();
    const auto free = window.session().replica().figures().free_blocks();
    CHECK(
        page->timeline().accessibleDescription().contains(QStringLiteral("A %1 block").arg(free)));
  }
}

TEST_CASE("a file with faults says all of them in the window, and the last run stays") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  QFile file(home.folder.filePath(QStringLiteral("bad.json")));
  REQUIRE(file.open(QIODevice::WriteOnly));
  file.write(R"({"seed": 1, "cache": {"blok_size": 16, "blocks": 0}})");
  file.close();
  QSignalSpy refused(&window.session(), &RunSession::refused);
  window.open_paths({file.fileName()});
  REQUIRE(QTest::qWaitFor([&] { return refused.count() == 1; }, 120'000));
  CHECK(window.message().isVisible());
  CHECK(window.message().text().contains(QStringLiteral("block_size")));
  CHECK(window.session().has_run());
}

TEST_CASE("docks come back where they were, and go where they belong") {
  const Home home;
  {
    MainWindow window;
    window.show();
    open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
    window.dock(QStringLiteral("inspector"))->hide();
    window.close();
  }
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  CHECK(!window.dock(QStringLiteral("inspector"))->isVisible());
  window.commands()["reset_layout"]->trigger();
  CHECK(window.dock(QStringLiteral("inspector"))->isVisible());
}

TEST_CASE("light and dark can be switched while a run is shown") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  auto& application = *static_cast<QApplication*>(QCoreApplication::instance());
  for (const Theme theme : {Theme::dark, Theme::light}) {
    set_theme(application, theme);
    QCoreApplication::processEvents();
    const QImage image = window.run_page().map().grab().toImage();
    CHECK(image.pixel(0, image.height() - 1) == palette_of(theme).panel);
  }
}

TEST_CASE("closing while a run goes on does no harm") {
  const Home home;
  MainWindow window;
  window.show();
  window.open_paths({scenario_path("serving/chats_and_prefixes.json")});
  QTest::qWait(30);
  window.close();
}

TEST_CASE("Escape clears in order: isolation, selection, message") {
  const Home home;
  MainWindow window;
  window.show();
  open_and_wait(window, {scenario_path("seed/evict_14k_of_16k.json")});
  window.selection().set_blocks({5});
  window.commands()["clear"]->trigger();
  CHECK(window.selection().blocks().empty());
}

}  // namespace
