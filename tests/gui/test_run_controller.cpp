// SPDX-License-Identifier: Apache-2.0
// Runs in threads of their own: they end, are cancelled, replaced and abandoned.
#include <QCoreApplication>
#include <QElapsedTimer>
#include <catch2/catch.hpp>
#include <functional>
#include <memory>
#include <string>

#include "gui/model/cursor.hpp"
#include "gui/model/run_controller.hpp"
#include "gui/model/selection.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

QCoreApplication& application() {
  static int argc = 1;
  static char name[] = "test";
  static char* argv[] = {name, nullptr};
  static QCoreApplication app(argc, argv);
  return app;
}

/// Handles events until something holds; false after ten seconds of waiting.
bool wait_for(const std::function<bool()>& holds) {
  QElapsedTimer timer;
  timer.start();
  while (!holds()) {
    if (timer.elapsed() > 10'000) return false;
    application().processEvents(QEventLoop::AllEvents, 10);
  }
  return true;
}

RunRequest request(const std::string& text, RecordingLimits limits = {}) {
  RunRequest result;
  result.file = "memory.json";
  result.text = text;
  result.limits = limits;
  return result;
}

/// Far more than a test waits for.
std::string endless() {
  return R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16},
    "eviction": {"policy": "random", "scope": "model", "budget": 512, "interval": 64},
    "reclaim": {"kind": "slide"},
    "workload": {"sequences": 4, "output_tokens": 40000000}})";
}

struct Heard {
  explicit Heard(RunController& controller) {
    QObject::connect(&controller, &RunController::started, [this] { ++started; });
    QObject::connect(&controller, &RunController::finished, [this] { ++finished; });
    QObject::connect(&controller, &RunController::progress, [this] { ++progress; });
    QObject::connect(&controller, &RunController::refused,
                     [this](const QString& text) { refused = text.toStdString(); });
  }
  int started = 0, finished = 0, progress = 0;
  std::string refused;
};

}  // namespace

TEST_CASE("a run ends with its figures", "[controller]") {
  application();
  RunController controller;
  Heard heard(controller);
  controller.start(request(small_lockstep()));
  CHECK(controller.recording() == nullptr);
  REQUIRE(wait_for([&] { return heard.finished == 1; }));
  CHECK(heard.started == 1);
  CHECK(heard.progress >= 1);
  CHECK_FALSE(controller.busy());
  const auto recording = controller.recording();
  REQUIRE(recording != nullptr);
  CHECK(recording->state() == RunState::finished);
  CHECK(recording->summary() != nullptr);
  CHECK(recording->done() == recording->planned());
  CHECK(recording->missing().empty());
}

TEST_CASE("faults of a scenario come as the command line says them", "[controller]") {
  application();
  RunController controller;
  Heard heard(controller);
  const std::string text = R"({"cache": {"blok_size": 16}})";
  controller.start(request(text));
  REQUIRE(wait_for([&] { return !heard.refused.empty(); }));
  CHECK(heard.started == 0);
  CHECK(controller.recording() == nullptr);
  std::string expected;
  try {
    load_scenario_text(text, "memory.json", "", {});
  } catch (const UserError& error) {
    expected = error.what();
  }
  CHECK(heard.refused == expected);
  CHECK_THAT(heard.refused, Catch::Contains("blok_size"));
}

TEST_CASE("a cancelled run keeps what was recorded", "[controller]") {
  application();
  RunController controller;
  Heard heard(controller);
  controller.start(request(endless()));
  REQUIRE(
      wait_for([&] { return heard.started == 1 && controller.recording()->events() > 20'000; }));
  CHECK(controller.busy());
  // A cursor reads while the run goes on.
  Cursor cursor(controller.recording());
  cursor.seek(15'000);
  const std::uint64_t hash = cursor.replica().hash();
  cursor.seek(300);
  cursor.seek(15'000);
  CHECK(cursor.replica().hash() == hash);
  controller.cancel();
  REQUIRE(wait_for([&] { return heard.finished == 1; }));
  const auto recording = controller.recording();
  CHECK(recording->state() == RunState::cancelled);
  CHECK(recording->summary() == nullptr);
  cursor.seek(recording->events());
  CHECK(cursor.event() == recording->events());
}

TEST_CASE("a controller goes, or takes another run, while one is under way", "[controller]") {
  application();
  for (int i = 0; i < 5; ++i) {
    RunController controller;
    Heard heard(controller);
    controller.start(request(endless()));
    if (i > 1) REQUIRE(wait_for([&] { return heard.started == 1; }));
    if (i > 2) {
      controller.start(request(small_lockstep()));
      REQUIRE(wait_for([&] { return heard.finished == 1; }));
      CHECK(controller.recording()->state() == RunState::finished);
    }
  }
  application().processEvents();
}

TEST_CASE("where recording stops, the figures go on", "[controller]") {
  RecordedRun whole(scenario_of(small_lockstep()));
  whole.run();
  RecordedRun cut(scenario_of(small_lockstep()), {4'000, Keyframes::default_limit});
  cut.run();
  const Recording& recording = *cut.recording();
  CHECK(recording.state() == RunState::finished);
  CHECK(recording.events() < whole.recording()->events());
  CHECK_THAT(recording.limit_sentence(),
             Catch::StartsWith("Recording stopped at ") && Catch::EndsWith("; the figures go on."));
  CHECK(whole.recording()->limit_sentence().empty());
  CHECK(to_json(*recording.summary()) == to_json(*whole.recording()->summary()));
}

TEST_CASE("what has no map or no clock says so", "[controller]") {
  RecordedRun tree(scenario_of(small_serving("sglang-2026-07", "", 600, 20)));
  tree.run();
  CHECK_THAT(tree.recording()->missing(), Catch::Contains("no map"));
  CHECK(tree.recording()->series().size() > 10);
  RecordedRun replay(scenario_of(R"({"cache": {"block_size": 16, "blocks": 500},
    "serving": {"scheduler": "block_replay"}, "workload": {"source": "multi_turn",
    "multi_turn": {"requests": 50, "rate": 2}}})"));
  replay.run();
  CHECK_FALSE(replay.recording()->has_events());
  CHECK(replay.recording()->events() == 0);
  CHECK(replay.recording()->summary() != nullptr);
  CHECK_THAT(replay.recording()->missing(), Catch::Contains("no timeline"));
}

TEST_CASE("views hear of a selection when it changes, and only then", "[selection]") {
  application();
  Selection selection;
  int changed = 0, hovered = 0;
  QObject::connect(&selection, &Selection::changed, [&] { ++changed; });
  QObject::connect(&selection, &Selection::hover_changed, [&] { ++hovered; });
  selection.set_blocks({7, 3, 7});
  CHECK(selection.blocks() == std::vector<std::uint32_t>{3, 7});
  CHECK(selection.contains(7));
  CHECK_FALSE(selection.contains(4));
  selection.set_blocks({3, 7});
  CHECK(changed == 1);
  selection.toggle_block(4);
  selection.toggle_block(3);
  CHECK(selection.blocks() == std::vector<std::uint32_t>{4, 7});
  selection.set_sequence(12);
  selection.set_sequence(12);
  selection.set_time_range(TimeRange{5, 9});
  selection.set_hovered_block(2);
  selection.set_hovered_block(2);
  CHECK(changed == 5);
  CHECK(hovered == 1);
  selection.clear();
  selection.clear();
  CHECK(changed == 6);
  CHECK_FALSE(selection.sequence());
  CHECK(selection.hovered_block() == 2u);
}
