// SPDX-License-Identifier: Apache-2.0
// The store of events: what comes out is what went in, as events.jsonl spells it.
#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <random>
#include <sstream>
#include <thread>
#include <vector>

#include "gui/model/history.hpp"
#include "sim/metrics/event_log.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "tests/gui/gui_scenarios.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

/// events.jsonl of a history, and of the run itself.
std::string log_of(const History& history) {
  std::ostringstream out;
  EventLog log(out);
  HistoryReader reader(history);
  for (std::uint64_t n = 0; n < history.size(); ++n)
    log.on_event(reader.event(n));
  log.flush();
  return out.str();
}

struct Tee final : Observer {
  Tee(History& to, EventLog& log) : to_(to), log_(log) {}
  void on_event(const vacancy::Event& event) override {
    REQUIRE(to_.append(event));
    log_.on_event(event);
    ++events;
  }
  History& to_;
  EventLog& log_;
  std::uint64_t events = 0;
};

template <class Run>
std::uint64_t check_round_trip(const Scenario& scenario) {
  History history;
  std::ostringstream out;
  EventLog log(out);
  Tee tee(history, log);
  Run run(scenario);
  run.add_observer(tee);
  while (run.step()) {
  }
  log.flush();
  REQUIRE(history.size() == tee.events);
  REQUIRE(log_of(history) == out.str());
  return history.bytes() / history.size();
}

}  // namespace

TEST_CASE("a history gives back every event as it was told", "[history]") {
  for (const char* reclaim : {"none", "slide", "fill_holes", "fullest_blocks", "copy_out"})
    check_round_trip<LockstepRun>(*scenario_of(small_lockstep(reclaim)));
  std::mt19937 engine(5);
  for (int i = 0; i < 60; ++i)
    if (const auto scenario = random_lockstep(engine)) check_round_trip<LockstepRun>(*scenario);
  CHECK(check_round_trip<EngineRun>(*scenario_of(small_serving("vllm-main-2026-08"))) < 30);
  CHECK(check_round_trip<EngineRun>(*scenario_of(small_serving("sglang-2026-07"))) < 30);
  CHECK(check_round_trip<EngineRun>(*scenario_of(small_serving("trtllm-2026-08"))) < 30);
}

TEST_CASE("times and kinds are found without reading everything", "[history]") {
  History history;
  std::mt19937 engine(3);
  std::vector<std::int64_t> times;  // of each event
  std::int64_t now = 0;
  for (int i = 0; i < 5'000; ++i) {
    if (engine() % 3 == 0) {
      now += static_cast<std::int64_t>(engine() % 4);
      history.append(ClockAdvanced{SimTime(now)});
    } else {
      history.append(TokensAppended{SequenceId(static_cast<std::uint32_t>(engine() % 5)), 3, 1});
    }
    times.push_back(now);
  }
  HistoryReader reader(history);
  for (int i = 0; i < 500; ++i) {
    const std::uint64_t n = engine() % history.size();
    CHECK(reader.time_ns(n) == times[n]);
    const std::int64_t time = static_cast<std::int64_t>(engine() % 3'600) - 5;
    const auto until = std::upper_bound(times.begin(), times.end(), time) - times.begin();
    const auto before = std::lower_bound(times.begin(), times.end(), time) - times.begin();
    CHECK(reader.until(time) == static_cast<std::uint64_t>(until));
    CHECK(reader.before(time) == static_cast<std::uint64_t>(before));
    const bool clock = reader.kind(n) == kind_of<ClockAdvanced>;
    CHECK(clock == std::holds_alternative<ClockAdvanced>(reader.event(n)));
    const std::uint64_t next = reader.find(kinds_of<ClockAdvanced>, n, history.size());
    for (std::uint64_t k = n; k < next; ++k)
      CHECK(reader.kind(k) == kind_of<TokensAppended>);
  }
}

TEST_CASE("events larger than a chunk, and none beyond the limit", "[history]") {
  std::vector<BlockId> blocks;
  for (std::uint32_t i = 0; i < 400'000; ++i)
    blocks.emplace_back(i * 7919 % 400'000);  // no runs
  History history;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(history.append(SequenceFinished{SequenceId(7)}));
    REQUIRE(history.append(BlocksAllocated{SequenceId(7), 1, 2, blocks}));
  }
  HistoryReader reader(history);
  for (std::uint64_t n = 0; n < history.size(); ++n) {
    const auto* big = std::get_if<BlocksAllocated>(&reader.event(n));
    REQUIRE((big != nullptr) == (n % 2 == 1));
    if (big) REQUIRE(std::equal(blocks.begin(), blocks.end(), big->blocks.begin()));
  }

  History small(1'000);
  std::uint64_t kept = 0;
  while (small.append(SequenceFinished{SequenceId(static_cast<std::uint32_t>(kept))}))
    ++kept;
  CHECK(small.full());
  CHECK(small.size() == kept);
  CHECK(small.bytes() <= 1'000 + 16);
  CHECK_FALSE(small.append(CacheCleared{}));
}

TEST_CASE("a thread reads what another one is still writing", "[history]") {
  History history;
  std::atomic<bool> wrong{false};
  constexpr std::uint32_t events = 200'000;
  std::thread reader_thread([&] {
    HistoryReader reader(history);
    std::uint64_t seen = 0;
    while (seen < events) {
      const std::uint64_t size = reader.size();
      for (; seen < size; ++seen) {
        const auto* e = std::get_if<TokensAppended>(&reader.event(seen));
        if (e == nullptr || e->first != seen) wrong = true;
      }
    }
  });
  for (std::uint32_t i = 0; i < events; ++i)
    history.append(TokensAppended{SequenceId(i % 9), i, 1});
  reader_thread.join();
  CHECK_FALSE(wrong);
}
