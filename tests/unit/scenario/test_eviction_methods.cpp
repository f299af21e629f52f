// SPDX-License-Identifier: Apache-2.0
// Whole runs of methods whose effect on blocks, not their choice alone, is what they are about.
#include <catch2/catch.hpp>

#include "sim/metrics/metrics.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "sim/units/error.hpp"

using namespace vacancy;

namespace {

const std::string method_text = R"({
  "model": {"name": "small", "layers": 4, "query_heads": 2, "kv_heads": 1, "head_dim": 4,
            "rope_theta": 10000},
  "attention": {"source": "random"},
  "cache": {"block_size": 16},
  "eviction": {"policy": "full", "budget": 64},
  "workload": {"sequences": 1, "prompt_tokens": 0, "output_tokens": 400}
})";

SimulationConfig method_config(const std::vector<std::string>& changes) {
  return build_config(load_scenario_text(method_text, "methods", ".", {changes, std::nullopt}));
}

/// Steps to the end; `each` sees the only sequence and the pool after every step but the last.
template <class Each>
Summary run_method(const std::vector<std::string>& changes, Each&& each) {
  Simulation simulation(method_config(changes), {});
  Metrics metrics(simulation.config().cache, simulation.cache().pool(), 1);
  simulation.add_observer(metrics);
  while (simulation.step() == RunStatus::running) {
    simulation.cache().check_invariants();
    if (const auto& all = simulation.cache().sequences(); !all.empty())
      each(all.begin()->second, simulation.cache().pool());
  }
  return metrics.summary();
}

Summary run_method(const std::vector<std::string>& changes) {
  return run_method(changes, [](const CachedSequence&, const BlockPool&) {});
}

}  // namespace

// Mistral 7B, section 2: position i stands in slot i mod W.
TEST_CASE(
    "rolling_buffer: each token in the slot of the one that it displaces, no block comes or goes") {
  const std::uint32_t window = 60;
  std::uint32_t checked = 0;
  const Summary summary =
      run_method({"eviction.policy=rolling_buffer", "eviction.budget=60", "eviction.interval=1",
                  "reclaim.kind=fill_holes", "quality.queries=0"},
                 [&](const CachedSequence& sequence, const BlockPool& pool) {
                   if (sequence.next_position <= window) return;
                   CHECK(pool.held() == 4);
                   std::vector<BlockTable::LiveSlot> live;
                   sequence.tables.front().list_live(0, live);
                   REQUIRE(live.size() == window);
                   for (const auto& [token, slot] : live)
                     CHECK(slot == token % window);
                   ++checked;
                 });
  CHECK(checked > 300);
  CHECK(summary.reclaim.blocks_freed_by_eviction == 0);
  CHECK(summary.memory.kv_peak_blocks == 4);
}

// Spec policies §3.10: the same choice on one table, and on a table for each layer.
TEST_CASE(
    "E-13: fastv frees nothing on one table, and three quarters of three layers on their own") {
  const std::vector<std::string> image{
      "eviction.policy=fastv",           "eviction.fastv.layer=1",   "eviction.fastv.image_start=0",
      "eviction.fastv.image_tokens=320", "eviction.fastv.drop=0.75", "workload.prompt_tokens=320",
      "workload.output_tokens=0",        "reclaim.kind=slide",       "quality.queries=0"};
  auto one_table = image, a_layer = image;
  one_table.emplace_back("cache.table=shared");
  a_layer.emplace_back("cache.table=per_layer");
  const Summary shared = run_method(one_table), apart = run_method(a_layer);
  CHECK(shared.reclaim.blocks_freed_by_eviction == 0);
  CHECK(shared.reclaim.evicted_set_tokens == 3 * 240);
  CHECK(shared.reclaim.vacated_tokens == 0);
  CHECK(apart.reclaim.blocks_freed_by_eviction == 3 * 15);
}

// Spec policies §3.23: after an eviction at most max + B - 1 tokens, and no move.
TEST_CASE("openvino: tables per layer hold no more than the areas and a block") {
  std::uint64_t most = 0;
  const Summary summary = run_method(
      {"eviction.policy=openvino", "eviction.budget=160", "eviction.interval=16",
       "eviction.openvino.start=32", "eviction.openvino.recent=64", "cache.table=per_layer",
       "workload.prompt_tokens=300", "workload.output_tokens=200", "quality.queries=0"},
      [&](const CachedSequence& sequence, const BlockPool&) {
        if (sequence.next_position <= 300) {
          CHECK(sequence.live == 300);  // not before the first token of the output
          return;
        }
        most = std::max<std::uint64_t>(most, sequence.live);
        // As many blocks in all layers.
        for (const BlockTable& table : sequence.tables)
          CHECK(table.live_count(0) == sequence.live);
      });
  CHECK(most <= 160 + 15);
  CHECK(summary.reclaim.bytes_moved() == Bytes(0));
  // 18 full blocks of the prompt, of which 10 stay; then one for each that fills.
  CHECK(summary.reclaim.blocks_freed_by_eviction == 4 * ((300 / 16 - 10) + (500 / 16 - 300 / 16)));
}

TEST_CASE("E-24: areas of openvino and the budget of zipage are whole blocks") {
  CHECK_THROWS_WITH(method_config({"eviction.policy=openvino", "eviction.budget=200"}),
                    Catch::Contains("multiple of cache.block_size"));
  CHECK_THROWS_WITH(method_config({"eviction.policy=zipage", "eviction.budget=60"}),
                    Catch::Contains("multiple of cache.block_size"));
  CHECK_NOTHROW(method_config({"eviction.policy=openvino", "eviction.budget=672"}));
}

TEST_CASE("quest: evicts nothing, and what queries pass over counts as lost to them") {
  const std::vector<std::string> all{"eviction.policy=quest", "eviction.budget=1024"};
  const Summary everything = run_method(all),
                some = run_method({"eviction.policy=quest", "eviction.budget=64"});
  CHECK(some.reclaim.evicted_set_tokens == 0);
  CHECK(some.reclaim.blocks_freed_by_eviction == 0);
  REQUIRE(everything.quality.retained_attention_mass.size() == 1);
  CHECK(everything.quality.retained_attention_mass[0] == Approx(1));
  // Two of the four layers are dense; random weights give the others 64 of 400 tokens' worth.
  CHECK(some.quality.retained_attention_mass[0] == Approx(0.5 + 0.5 * 64 / 400).margin(0.03));
  CHECK_THROWS_WITH(method_config({"eviction.policy=quest", "eviction.budget=null"}),
                    Catch::Contains("eviction.budget"));
}

TEST_CASE("count_prompt: only where a trigger looks at a prompt inside the budget") {
  const auto with = [](const std::string& prompt, const std::string& trigger) {
    return method_config({"eviction.policy=streaming_llm", "eviction.count_prompt=false",
                          "eviction.prompt=" + prompt, "eviction.trigger=" + trigger});
  };
  CHECK_NOTHROW(with("pinned_inside", "slack"));
  CHECK_NOTHROW(with("pinned_inside", "aligned"));
  CHECK_THROWS_WITH(with("pinned_outside", "slack"), Catch::Contains("/eviction/count_prompt"));
  CHECK_THROWS_WITH(with("pinned_inside", "interval"), Catch::Contains("/eviction/count_prompt"));
}
