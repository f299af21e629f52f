// SPDX-License-Identifier: Apache-2.0
// The formula that the report shows beside a figure must be the one that fits the run: exact
// formulas equal the simulation, others hold it within their band.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "sim/cli/expectation.hpp"
#include "sim/cli/run_facts.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/simulation/simulation.hpp"

using namespace vacancy;

namespace {

struct Outcome {
  Expectations expected;
  Summary summary;
  std::optional<double> steady_slots;
};

double freed(const Outcome& outcome) {
  return static_cast<double>(outcome.summary.reclaim.blocks_freed_by_eviction);
}

const std::string small_model =
    R"({"model": {"name": "small", "layers": 3, "query_heads": 2, "kv_heads": 2, "head_dim": 2},)";

Outcome run(const std::string& rest, const std::vector<std::string>& set = {},
            std::uint64_t seed = 1) {
  const Scenario scenario = load_scenario_text(small_model + rest, "test", ".", {set, seed});
  const SimulationConfig config = build_config(scenario);
  Outcome outcome;
  outcome.expected = expect(scenario, config);
  Simulation simulation(config, {});
  Metrics metrics(simulation.config().cache, simulation.cache().pool(), seed);
  RunFacts facts(simulation.cache());
  simulation.add_observer(metrics);
  simulation.add_observer(facts);
  while (simulation.step() == RunStatus::running) {
  }
  outcome.summary = metrics.summary();
  outcome.steady_slots = facts.steady_held_slots();
  return outcome;
}

const std::string once = R"(
  "eviction": {"policy": "random", "budget": 200, "prompt": "evictable", "trigger": "once"},
  "cache": {"block_size": 4},
  "workload": {"sequences": 2, "prompt_tokens": 803, "output_tokens": 0}})";
const std::string rounds = R"(
  "eviction": {"policy": "random", "budget": 70, "interval": 16, "trigger": "interval"},
  "reclaim": {"kind": "slide"}, "cache": {"block_size": 8},
  "workload": {"output_tokens": 500}})";

}  // namespace

TEST_CASE("random survivors, one eviction: every layout of sets and tables is within its band") {
  const std::string scope = GENERATE("model", "per_layer", "per_head", "per_layer_per_head");
  const std::string table = GENERATE("shared", "per_layer", "per_layer_per_head");
  CAPTURE(scope, table);
  constexpr int seeds = 20;
  double sum = 0, squares = 0;
  Expected expected;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome outcome = run(once, {"eviction.scope=" + scope, "cache.table=" + table}, seed);
    REQUIRE(outcome.expected.blocks_freed);
    expected = *outcome.expected.blocks_freed;
    sum += freed(outcome);
    squares += freed(outcome) * freed(outcome);
  }
  const double deviation = expected.deviation.value();
  CHECK(sum / seeds == Approx(expected.value).margin(4 * deviation / std::sqrt(seeds) + 1e-9));
  // Replicated tables scatter more than independent ones: the deviation must tell them apart.
  const double measured = std::sqrt(std::max(0.0, squares / seeds - sum / seeds * sum / seeds));
  CHECK(measured == Approx(deviation).epsilon(0.5).margin(0.5));
}

TEST_CASE("exact formulas equal the simulation") {
  const std::string budget = "eviction.budget=" + GENERATE(std::string("70"), "64", "200");
  const std::string trigger = "eviction.trigger=" + GENERATE(std::string("interval"), "slack");
  const std::string table = "cache.table=" + GENERATE(std::string("shared"), "per_layer_per_head");
  CAPTURE(budget, trigger, table);

  SECTION("compaction") {
    const Outcome outcome = run(rounds, {budget, trigger, table});
    CHECK(outcome.expected.blocks_freed->value == freed(outcome));
    CHECK(outcome.expected.peak_blocks->value ==
          static_cast<double>(outcome.summary.memory.kv_peak_blocks));
    CHECK(outcome.expected.blocks_after_round->value ==
          static_cast<double>(outcome.summary.memory.kv_after_round_blocks.value()));
  }
  SECTION("sinks and a window") {
    const Outcome outcome =
        run(rounds, {budget, trigger, table, "eviction.policy=streaming_llm", "reclaim.kind=none"});
    CHECK(outcome.expected.blocks_freed->value == freed(outcome));
  }
  SECTION("full cache") {
    const Outcome outcome = run(rounds, {table, "eviction.policy=full", "workload.sequences=3"});
    CHECK(outcome.expected.peak_blocks->value ==
          static_cast<double>(outcome.summary.memory.kv_peak_blocks));
  }
}

TEST_CASE("whole blocks: one eviction frees all but the budget's blocks") {
  const Outcome outcome = run(once, {"reclaim.kind=whole_block", "workload.prompt_tokens=800"});
  REQUIRE(outcome.expected.blocks_freed);
  CHECK(outcome.expected.blocks_freed->value == freed(outcome));
  // Beside a newest block that is not full, up to B - 1 tokens more than the budget stay.
  CHECK_FALSE(run(once, {"reclaim.kind=whole_block"}).expected.blocks_freed);
}

TEST_CASE("a formula without a deviation equals the simulation, whatever the scenario") {
  std::mt19937 engine(11);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); };
  const auto of = [&](std::initializer_list<const char*> words) {
    return std::string(*(words.begin() + below(static_cast<std::uint32_t>(words.size()))));
  };
  std::size_t exact = 0;
  for (int scenario = 0; scenario < 400; ++scenario) {
    const std::uint32_t block = 1 + below(20), budget = 10 + below(60);
    const std::vector<std::string> changes = {
        "cache.block_size=" + std::to_string(block),
        "cache.table=" + of({"shared", "per_layer"}),
        "eviction.budget=" + std::to_string(budget),
        "eviction.interval=" + std::to_string(1 + below(40)),
        "eviction.policy=" + of({"full", "random", "streaming_llm", "block_h2o", "knorm"}),
        "eviction.trigger=" + of({"interval", "slack", "once"}),
        "eviction.once.at=end",
        "eviction.scope=" + of({"model", "per_layer"}),
        "eviction.prompt=" + of({"evictable", "pinned_inside", "pinned_outside"}),
        "reclaim.kind=" + of({"none", "slide", "whole_block"}),
        "attention.source=random",
        "quality.queries=0",
        "workload.sequences=" + std::to_string(1 + below(3)),
        "workload.prompt_tokens=" + std::to_string(below(3) * below(100)),
        "workload.output_tokens=" + std::to_string(1 + below(2) * below(300))};
    std::string all;
    for (const std::string& change : changes)
      all += " --set " + change;
    INFO(all);
    const Outcome outcome = run(rounds, changes, 1);
    const auto check = [&](const std::optional<Expected>& expected, double simulated) {
      if (!expected || expected->deviation) return;
      ++exact;
      CHECK(expected->value == simulated);
    };
    const Summary::Memory& memory = outcome.summary.memory;
    check(outcome.expected.blocks_freed, freed(outcome));
    check(outcome.expected.peak_blocks, static_cast<double>(memory.kv_peak_blocks));
    if (memory.kv_after_round_blocks)
      check(outcome.expected.blocks_after_round,
            static_cast<double>(*memory.kv_after_round_blocks));
  }
  CHECK(exact > 100);
}

TEST_CASE("random survivors, many rounds: the steady state") {
  const Outcome outcome =
      run(rounds, {"eviction.budget=64", "reclaim.kind=none", "workload.output_tokens=12000"});
  REQUIRE(outcome.expected.steady_held_slots);
  CHECK(outcome.steady_slots.value() ==
        Approx(outcome.expected.steady_held_slots->value).epsilon(0.03));
}

TEST_CASE("no formula where its assumption does not hold") {
  CHECK_FALSE(run(once, {"eviction.protect.recent=8"}).expected.blocks_freed);
  CHECK_FALSE(run(once, {"eviction.prompt=pinned_outside", "workload.output_tokens=400"})
                  .expected.blocks_freed);
  CHECK_FALSE(run(once, {"eviction.random.chunk_tokens=3"}).expected.blocks_freed);
  CHECK_FALSE(run(once, {"eviction.policy=keep_list", "eviction.keep_list.pattern=one_per_block"})
                  .expected.blocks_freed);
  // Too few rounds to be steady.
  CHECK_FALSE(run(rounds, {"reclaim.kind=none", "eviction.budget=64"}).expected.steady_held_slots);
}
