// SPDX-License-Identifier: Apache-2.0
// The cache rebuilt from events: equal to the simulator's own, and the same forwards and backwards.
#include <catch2/catch.hpp>
#include <filesystem>
#include <iostream>
#include <random>
#include <vector>

#include "gui/model/cursor.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/study/lockstep_run.hpp"
#include "tests/gui/gui_scenarios.hpp"
#include "tests/gui/replica_check.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using namespace vacancy::gui;
using namespace vacancy::test;

namespace {

void compare_lockstep(const Scenario& scenario, std::uint64_t every) {
  LockstepRun run(scenario);
  const KvCache& cache = run.simulation().cache();
  Comparison comparison(lockstep_shape(scenario), cache, every);
  run.add_observer(comparison);
  while (run.step()) {
  }
  check_all(comparison.replica(), cache);
}

void compare_engine(const Scenario& scenario, std::uint64_t every) {
  EngineRun run(scenario);
  REQUIRE(run.cache().cache() != nullptr);
  Comparison comparison(engine_shape(scenario, run), *run.cache().cache(), every);
  run.add_observer(comparison);
  while (run.step()) {
  }
}

/// Each step forward is taken back exactly: by the journal, and by a seek to the moment.
void check_back_and_forth(const Recording& recording, std::uint64_t most = UINT64_MAX) {
  HistoryReader reader(recording.history());
  Replica replica(recording.shape());
  UndoJournal journal;
  const std::uint64_t size = std::min(recording.events(), most);
  std::vector<std::uint64_t> hashes = {replica.hash()};
  for (std::uint64_t n = 0; n < size; ++n) {
    replica.apply(reader.event(n), &journal);
    hashes.push_back(replica.hash());
  }
  const std::uint64_t depth = journal.depth();
  for (std::uint64_t n = size; n > size - depth; --n) {
    replica.undo(journal);
    REQUIRE(replica.hash() == hashes[n - 1]);
  }
  // The journal may have lost the first events; forward again from where it ends.
  for (std::uint64_t n = size - depth; n < size; ++n) {
    replica.apply(reader.event(n), &journal);
    REQUIRE(replica.hash() == hashes[n + 1]);
  }
}

/// Seeks to anywhere in a recording against a replay from its start.
void check_seeks(const std::string& scenario) {
  const auto recording = record(scenario);
  REQUIRE(recording->state() == RunState::finished);
  HistoryReader reader(recording->history());
  Replica replay(recording->shape());
  std::vector<std::uint64_t> hashes;  // at every 500th moment
  for (std::uint64_t n = 0;; ++n) {
    if (n % 500 == 0) hashes.push_back(replay.hash());
    if (n == recording->events()) break;
    replay.apply(reader.event(n));
  }
  Cursor cursor(recording);
  std::mt19937 engine(2);
  for (int i = 0; i < 60; ++i) {
    const std::size_t k = engine() % hashes.size();
    cursor.seek(k * 500);
    REQUIRE(cursor.event() == k * 500);
    REQUIRE(cursor.replica().hash() == hashes[k]);
    const auto steps = static_cast<int>(engine() % 20);
    int done = 0;
    while (done < steps && cursor.back())
      ++done;
    for (; done > 0; --done)
      REQUIRE(cursor.forward());
    REQUIRE(cursor.replica().hash() == hashes[k]);
  }
  cursor.seek(UINT64_MAX);
  CHECK(cursor.event() == recording->events());
  CHECK_FALSE(cursor.forward());
  cursor.seek_time(recording->end_ns() / 2);
  CHECK(cursor.time_ns() <= recording->end_ns() / 2);
  CHECK(reader.time_ns(cursor.event()) > recording->end_ns() / 2);
}

}  // namespace

TEST_CASE("a replica of a lockstep run is the simulator's cache", "[replica]") {
  for (const char* reclaim :
       {"none", "slide", "fill_holes", "fullest_blocks", "whole_block", "copy_out"}) {
    CAPTURE(reclaim);
    compare_lockstep(*scenario_of(small_lockstep(reclaim)), 97);
  }
  std::mt19937 engine(11);
  int ran = 0;
  for (int i = 0; i < 100; ++i)
    if (const auto scenario = random_lockstep(engine)) {
      CAPTURE(i);
      compare_lockstep(*scenario, 31);
      ++ran;
    }
  CHECK(ran > 50);
}

TEST_CASE("a replica of an engine's run is its cache", "[replica]") {
  compare_engine(*scenario_of(small_serving("vllm-main-2026-08")), 501);
  compare_engine(*scenario_of(small_serving("vllm-main-2026-08", R"(, "eviction": {"policy":
      "random", "scope": "model", "budget": 256, "interval": 64, "prompt": "evictable"},
      "reclaim": {"kind": "slide"})")),
                 501);
  compare_engine(*scenario_of(small_serving("vllm-main-2026-08", R"(, "eviction": {"policy":
      "random", "scope": "model", "budget": 256, "interval": 64, "prompt": "pinned_outside"},
      "reclaim": {"kind": "copy_out"})")),
                 501);
}

TEST_CASE("a replica of other engines' caches counts as they do", "[replica]") {
  for (const std::string& text :
       {small_serving("orca-pow2"), small_serving("orca-oracle"), small_serving("trtllm-2026-08"),
        small_serving("trtllm-2026-08", "", 300)}) {
    const auto scenario = scenario_of(text);
    EngineRun run(*scenario);
    GaugeComparison comparison(engine_shape(*scenario, run), run.cache());
    run.add_observer(comparison);
    while (run.step()) {
    }
    CHECK(comparison.compared > 100);
  }
}

TEST_CASE("pools of several windows and the host's memory lie side by side", "[replica]") {
  const std::vector<std::pair<std::string, std::string>> files = {
      {"serving/trtllm_host_memory.json", "workload.multi_turn.requests=150"},
      {"serving/trtllm_gpt_oss_windows.json", "workload.independent.requests=40"}};
  for (const auto& [file, change] : files) {
    CAPTURE(file);
    const auto scenario = scenario_file(file, {change});
    EngineRun run(*scenario);
    const ReplicaShape shape = engine_shape(*scenario, run);
    GaugeComparison comparison(shape, run.cache());
    run.add_observer(comparison);
    while (run.step()) {
    }
    CHECK(comparison.compared > 100);
    // Memories are exchanged, so that the host keeps as many as it had.
    const PoolView view = comparison.replica().view();
    std::uint64_t on_host = 0;
    for (std::size_t block = 0; block < view.flags.size(); ++block) {
      on_host += (view.flags[block] & host_tier) != 0;
      if ((view.flags[block] & host_tier) != 0) CHECK(view.references[block] == 0);
    }
    CHECK(on_host == shape.host_blocks());
  }
}

TEST_CASE("n steps forward and n back give the same state at every step", "[replica]") {
  std::vector<std::shared_ptr<const Scenario>> scenarios;
  std::mt19937 engine(17);
  for (int i = 0; i < 30; ++i)
    if (auto scenario = random_lockstep(engine)) scenarios.push_back(std::move(scenario));
  for (const char* reclaim : {"none", "slide", "fill_holes", "fullest_blocks", "copy_out"})
    scenarios.push_back(scenario_of(small_lockstep(reclaim)));
  for (const char* profile : {"vllm-main-2026-08", "trtllm-2026-08", "sglang-2026-07"})
    scenarios.push_back(scenario_of(small_serving(profile, "", 300, 12)));
  for (const auto& scenario : scenarios) {
    RecordedRun run(scenario);
    run.run();
    check_back_and_forth(*run.recording(), 900);
  }
}

TEST_CASE("a cursor finds every moment as a replay does", "[replica][slow]") {
  check_seeks(small_serving("vllm-main-2026-08"));
  // Keyframes with packed token numbers, of tables in order and of some that lost it.
  for (const char* reclaim : {"none", "slide", "fill_holes", "copy_out"}) {
    CAPTURE(reclaim);
    check_seeks(many_sets(reclaim));
  }
}

TEST_CASE("every scenario of the repository is followed", "[.][scenarios]") {
  for (const std::filesystem::path& file : test::scenario_files(test::source_dir() / "scenarios")) {
    CAPTURE(file);
    const Scenario scenario = load_scenario(file);
    if (scenario.obstacle) {
      std::cout << "left out: " << file.filename() << ": " << *scenario.obstacle << '\n';
      continue;
    }
    if (!scenario.serving) {
      compare_lockstep(scenario, 50'000);
    } else if (scenario.serving->scheduler == SchedulerKind::continuous_batching) {
      EngineRun run(scenario);
      if (run.cache().cache() != nullptr) compare_engine(scenario, 50'000);
    }
    std::cout << file.filename() << '\n';
  }
}
