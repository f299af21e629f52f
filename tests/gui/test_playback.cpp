// SPDX-License-Identifier: Apache-2.0
// The cursor in motion, driven by a clock that the test holds.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <memory>

#include "gui/model/playback.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

constexpr std::int64_t second = 1'000'000'000;

}  // namespace

TEST_CASE("playing moves as far as time goes, times the speed", "[playback]") {
  const auto run = record(small_lockstep());
  Playback playback(run);
  CHECK_FALSE(playback.tick(5 * second));
  playback.set_speed(0.1);
  playback.play(7 * second);
  HistoryReader reader(run->history());
  for (int frame = 1; frame <= 30; ++frame) {
    playback.tick(7 * second + frame * second / 60);
    const auto virtual_ns = static_cast<std::int64_t>(std::round(frame * 1e9 / 600));
    // To a microsecond, for positions are kept as fractions.
    CHECK(playback.cursor().event() >= reader.until(virtual_ns - 1'000));
    CHECK(playback.cursor().event() <= reader.until(virtual_ns + 1'000));
  }
  playback.pause();
  const std::uint64_t here = playback.cursor().event();
  CHECK_FALSE(playback.tick(100 * second));
  CHECK(playback.cursor().event() == here);
  playback.play(200 * second);
  CHECK(playback.tick(300 * second));
  CHECK(playback.cursor().event() == run->events());
  CHECK_FALSE(playback.playing());
  playback.play(301 * second);  // starts over
  CHECK(playback.cursor().event() == 0);
}

TEST_CASE("steps forward and back meet the same moments", "[playback]") {
  for (const std::string& text : {small_lockstep(), small_serving("vllm-main-2026-08")}) {
    const auto run = record(text);
    Playback playback(run);
    for (const StepUnit unit : {StepUnit::event, StepUnit::iteration, StepUnit::round}) {
      playback.seek(0);
      std::vector<std::uint64_t> moments = {0};
      while (moments.size() < 300 && playback.step(unit))
        moments.push_back(playback.cursor().event());
      CHECK(std::adjacent_find(moments.begin(), moments.end(), std::greater_equal<>{}) ==
            moments.end());
      CHECK(moments.size() > (unit == StepUnit::round ? 0u : 100u));
      for (std::size_t i = moments.size() - 1; i-- > 0;) {
        const bool moved = playback.step(unit, -1);
        if (i == 0 && unit == StepUnit::round) {
          CHECK_FALSE(moved);  // there is none before the first
          break;
        }
        REQUIRE(moved);
        REQUIRE(playback.cursor().event() == moments[i]);
      }
    }
  }
}

TEST_CASE("run until stops just after what was asked for", "[playback]") {
  const auto run = record(small_lockstep());
  Playback playback(run);
  Until until;
  until.kind = Until::Kind::mark;
  until.mark = MarkKind::reclaim;
  REQUIRE(playback.run_until(until));
  const auto* finished =
      std::get_if<RoundFinished>(&playback.cursor().reader().event(playback.cursor().event() - 1));
  REQUIRE(finished != nullptr);
  CHECK(finished->blocks_freed > 0);
  until.mark = MarkKind::out_of_memory;
  CHECK_FALSE(playback.run_until(until));
  until.kind = Until::Kind::event;
  until.event = kind_of<SequenceCompleted>;
  REQUIRE(playback.run_until(until));
  CHECK(playback.cursor().reader().kind(playback.cursor().event() - 1) ==
        kind_of<SequenceCompleted>);
  playback.seek(0);
  until.kind = Until::Kind::time;
  until.time_ns = run->end_ns() / 3;
  REQUIRE(playback.run_until(until));
  CHECK(playback.cursor().time_ns() >= until.time_ns);
  const std::uint64_t there = playback.cursor().event();
  playback.step(StepUnit::event, -1);
  CHECK(playback.cursor().time_ns() < until.time_ns);
  CHECK(playback.cursor().event() == there - 1);

  // A pool that is too small for a prompt.
  const auto full = record(R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 8,
      "blocks": 20}, "workload": {"sequences": 1, "output_tokens": 400}})");
  CHECK(full->state() == RunState::stopped_early);
  CHECK_FALSE(full->reason().empty());
  Playback stopped(full);
  until.kind = Until::Kind::mark;
  until.mark = MarkKind::out_of_memory;
  CHECK(stopped.run_until(until));
}

TEST_CASE("the speed's slider is logarithmic", "[playback]") {
  CHECK(Playback::speed_at(0) == Approx(Playback::slowest));
  CHECK(Playback::speed_at(1) == Approx(Playback::fastest));
  CHECK(Playback::speed_at(0.5) == Approx(std::sqrt(Playback::slowest * Playback::fastest)));
  for (double slider = 0; slider <= 1; slider += 0.1)
    CHECK(Playback::slider_at(Playback::speed_at(slider)) == Approx(slider).margin(1e-12));
}
