// SPDX-License-Identifier: Apache-2.0
// Keep sets that a run recorded give its figures when they are replayed, exactly.
#include <catch2/catch.hpp>
#include <sstream>

#include "sim/keep_sets/keep_history.hpp"
#include "sim/keep_sets/keep_set_file.hpp"
#include "sim/keep_sets/keep_set_recorder.hpp"
#include "sim/keep_sets/replay.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/support/temporary_file.hpp"

using namespace vacancy;

namespace {

struct Recorded {
  Summary summary;
  std::string bytes;
};

Recorded record(const Scenario& scenario, KeepSetWriterMaker make) {
  Simulation simulation(build_config(scenario), {});
  const CacheConfig& cache = simulation.cache().config();
  Metrics metrics(cache, simulation.cache().pool(), scenario.seed);
  std::ostringstream out;
  const KeepSetAxes axes = axes_of(cache.layout);
  KeepSetRecorder recorder(SequenceId(0), axes, make(out, axes));
  simulation.add_observer(metrics);
  simulation.add_observer(recorder);
  while (simulation.step() == RunStatus::running) {
  }
  recorder.finish();
  return {metrics.summary(), out.str()};
}

void check_replay(const Scenario& scenario, const std::string& ending) {
  const Recorded run = record(scenario, keep_set_writer_for(ending));
  REQUIRE(run.summary.reclaim.rounds > 1);
  const test::TemporaryFile file("recorded" + ending, {run.bytes.begin(), run.bytes.end()});
  const auto reader = open_keep_sets(file.path());
  CacheConfig cache;
  cache.block_size = scenario.cache.block_size;
  cache.block_bytes = scenario.cache.block_bytes;
  cache.layout = reader->axes().layout(scenario.cache.layout.table_kind());
  KeepSetReplay replay(cache, reader->axes(), *find_reclaimer(scenario.reclaimer));
  KeepHistory history(*reader);
  while (history.next())
    replay.step(history.appended(), history.decision());
  REQUIRE(replay.obstacle() == "");
  const Summary again = replay.summary();
  const Summary::Reclaim &a = run.summary.reclaim, &b = again.reclaim;
  CHECK(b.rounds == a.rounds);
  CHECK(b.sets_per_table == a.sets_per_table);
  CHECK(b.evicted_set_tokens == a.evicted_set_tokens);
  CHECK(b.vacated_tokens == a.vacated_tokens);
  CHECK(b.blocks_freed_by_eviction == a.blocks_freed_by_eviction);
  CHECK(b.moved_set_tokens == a.moved_set_tokens);
  CHECK(b.moving_rounds == a.moving_rounds);
  CHECK(b.bytes_moved() == a.bytes_moved());
  CHECK(again.memory.kv_peak_blocks == run.summary.memory.kv_peak_blocks);
  CHECK(again.memory.held_slots.end == run.summary.memory.held_slots.end);
  CHECK(again.memory.live_slots.end == run.summary.memory.live_slots.end);
}

Scenario scenario_of(const std::vector<std::string>& changes) {
  const std::string text = R"({
    "model": {"name": "small", "layers": 3, "query_heads": 4, "kv_heads": 2, "head_dim": 8,
              "rope_theta": 10000},
    "attention": {"source": "random"},
    "cache": {"block_size": 4},
    "eviction": {"budget": 24, "interval": 9, "trigger": "interval",
                 "prompt": "evictable"},
    "quality": {"queries": 0},
    "workload": {"sequences": 1, "prompt_tokens": 40, "output_tokens": 47}
  })";
  return load_scenario_text(text, "recorded", ".", {changes, 3});
}

}  // namespace

TEST_CASE("recorded keep sets replay to the figures of their run", "[keep_sets]") {
  int runs = 0;
  for (const std::string policy : {"random", "h2o", "streaming_llm", "tova"})
    for (const auto& scope : EnumNames<Scope>::table)
      for (const auto& table : EnumNames<TableKind>::table)
        for (const ReclaimerEntry& way : reclaimers()) {
          const std::string reclaim = "reclaim.kind=" + way.info.name;
          INFO(policy << ' ' << scope.name << ' ' << table.name << ' ' << reclaim);
          check_replay(
              scenario_of({"eviction.policy=" + policy, "eviction.scope=" + std::string(scope.name),
                           "cache.table=" + std::string(table.name), reclaim}),
              ++runs % 2 == 0 ? ".npz" : ".jsonl");
        }
}

TEST_CASE("recordings hold under other triggers, pinned prompts and beside other sequences",
          "[keep_sets]") {
  for (const char* change : {"eviction.trigger=slack", "workload.sequences=3",
                             "eviction.prompt=pinned_outside", "cache.block_size=1"}) {
    INFO(change);
    for (const char* reclaim : {"reclaim.kind=none", "reclaim.kind=slide"}) {
      const Scenario scenario = scenario_of(
          {"eviction.scope=per_layer_per_head", "eviction.policy=random", change, reclaim});
      if (scenario.sequences == 1) {
        check_replay(scenario, ".npz");
        continue;
      }
      // The first of several: its own rounds, as if it were alone.
      const Recorded run = record(scenario, keep_set_writer_for(".npz"));
      const Recorded alone = record(
          scenario_of({"eviction.scope=per_layer_per_head", "eviction.policy=random", reclaim}),
          keep_set_writer_for(".npz"));
      CHECK(run.bytes == alone.bytes);
    }
  }
}
