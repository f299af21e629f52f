// SPDX-License-Identifier: Apache-2.0
// Whole runs over random block sizes, layouts, policies, triggers, protections and ways to reclaim:
// the cache keeps its invariants, its events rebuild it, survivors stay in order, and the figures
// agree with one another and with what the events say.
#include <catch2/catch.hpp>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "sim/eviction/registry.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "sim/units/error.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/shadow_cache.hpp"

using namespace vacancy;
using vacancy::test::often;
using vacancy::test::scaled;

namespace {

/// Counts from the events alone, beside the shadow's own tables.
class Auditor final : public Observer {
 public:
  explicit Auditor(const CacheConfig& config) : shadow_(config) {}

  void on_event(const Event& event) override {
    shadow_.on_event(event);
    if (const auto* released = std::get_if<BlocksReleased>(&event)) {
      if (released->cause == FreeCause::eviction) freed += released->freed;
    } else if (const auto* appended = std::get_if<TokensAppended>(&event)) {
      REQUIRE(appended->first == next_[appended->sequence]);
      next_[appended->sequence] += appended->count;
    }
  }

  /// Live tokens of every set ascend where every move was a gather that keeps order (E-44, I3), and
  /// are distinct in any case.
  void check_tokens(bool ordered) const {
    for (const auto& [id, tables] : shadow_.sequences()) {
      for (const auto& table : tables) {
        for (const auto& set : table.token_at) {
          std::vector<std::uint32_t> tokens;
          for (const auto& token : set)
            if (token) tokens.push_back(*token);
          if (!ordered) std::ranges::sort(tokens);
          REQUIRE(std::ranges::adjacent_find(tokens, std::ranges::greater_equal{}) == tokens.end());
        }
      }
    }
  }

  std::uint64_t freed = 0;

 private:
  test::ShadowCache shadow_;
  std::map<SequenceId, std::uint32_t> next_;
};

}  // namespace

TEST_CASE("random scenarios keep invariants and their figures agree", "[property]") {
  std::mt19937 engine(23);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); };
  const auto of = [&](const std::vector<std::string>& words) {
    return words[below(static_cast<std::uint32_t>(words.size()))];
  };
  std::vector<std::string> names, kinds;
  for (const PolicyEntry& entry : policies())
    if (entry.info.name != "triattention" &&  // needs a calibration
        entry.info.name != "kvzip")           // a source that reads twice
      names.push_back(entry.info.name);
  for (const ReclaimerEntry& entry : reclaimers())
    kinds.push_back(entry.info.name);

  std::size_t ran = 0, rounds = 0;
  for (std::uint32_t scenario = 0; scenario < scaled(300); ++scenario) {
    const std::uint32_t budget = 1 + below(70);
    const std::string text =
        R"({"model": {"layers": )" + std::to_string(1 + below(3)) +
        R"(, "query_heads": 2, "kv_heads": )" + of({"1", "2"}) +
        R"(, "head_dim": 4, "rope_theta": 10000}, "attention": {"source": "random"},
      "eviction": {"policy": "random", "budget": )" +
        std::to_string(budget) + R"(}, "workload": {"output_tokens": 9}})";
    const std::vector<std::string> changes = {
        "cache.block_size=" + std::to_string(1 + below(20)),
        "cache.table=" + of({"shared", "per_layer", "per_layer_per_head"}),
        "cache.blocks=" + of({"\"unlimited\"", "20", "60", "300"}),
        "eviction.policy=" + of(names),
        "eviction.scope=" + of({"model", "per_layer", "per_head", "per_layer_per_head"}),
        "eviction.interval=" + std::to_string(1 + below(40)),
        "eviction.trigger=" + of({"interval", "slack", "once", "allocation_failure"}),
        "eviction.once.at=end",
        "eviction.prompt=" + of({"evictable", "pinned_inside", "pinned_outside"}),
        "eviction.protect.recent=" + std::to_string(below(8)),
        "eviction.snapkv.window=" + std::to_string(1 + below(8)),
        "eviction.pyramidkv.window=" + std::to_string(1 + below(8)),
        "eviction.ada_kv.window=" + std::to_string(1 + below(8)),
        "eviction.rocketkv={\"window\": 4, \"max_length\": 60}",
        "eviction.kv_compress.window=" + std::to_string(below(8)),
        "eviction.ragged_blocks={\"window\": 4, \"blocks\": \"" + of({"table", "ranked"}) + "\"}",
        "eviction.head_pruning={\"by\": \"lazy_layers\", \"recent\": 20, \"threshold\": " +
            of({"0", "0.5", "1"}) + "}",
        "eviction.chunkkv.base=" + of({"knorm", "lagkv", "tova"}),
        "eviction.chunkkv.chunk_length=" + std::to_string(1 + below(20)),
        "eviction.lagkv.lag=" + std::to_string(1 + below(16)),
        "eviction.vase.recent=" + std::to_string(1 + below(8)),
        "eviction.cur.sinks=" + std::to_string(below(5)),
        "eviction.swap.swaps=" + std::to_string(below(20)),
        "eviction.swap.recent=" + of({"null", "0", "3"}),
        "eviction.two_price.block_price=" + std::to_string(below(4)),
        "eviction.whole_blocks.memory=" + of({"sum", "ema", "per_age", "window", "future"}),
        "eviction.block_h2o.memory=" + of({"sum", "ema", "per_age", "window"}),
        "eviction.scissorhands.choice=" + of({"top_k", "sample"}),
        "eviction.scissorhands.recent=" + std::to_string(below(8)),
        "eviction.expected_attention.future=" + std::to_string(1 + below(9)),
        "eviction.lazy_eviction.window=" + std::to_string(below(8)),
        "eviction.openvino.start=0",
        "eviction.openvino.recent=0",
        "eviction.zipage.window=" + std::to_string(1 + below(8)),
        "eviction.zipage.redundancy=" + of({"0", "0.5"}),
        "eviction.fastv.layer=" + std::to_string(1 + below(2)),
        "eviction.fastv.image_tokens=" + std::to_string(1 + below(60)),
        "eviction.token_gating.threshold=" + of({"0.5", "1", "2"}),
        "eviction.token_gating.memory=" + of({"sum", "per_age", "future"}),
        "eviction.streaming_llm.sinks=" + std::to_string(below(5)),
        "eviction.keep_list.pattern=every_nth",
        "reclaim.kind=" + of(kinds),
        "reclaim.min_hole_share=" + of({"0", "0", "0", "0.3"}),
        "reclaim.min_blocks=" + of({"0", "0", "0", "2"}),
        "quality.queries=2",
        "workload.sequences=" + std::to_string(1 + below(4)),
        "workload.prompt_tokens=" + std::to_string(below(2) * below(80)),
        "workload.output_tokens=" + std::to_string(1 + below(120))};
    std::string all = text;
    for (const std::string& change : changes)
      all += " --set " + change;
    INFO(all);
    const bool ordered =
        all.find("reclaim.kind=f") == std::string::npos;  // fill_holes, fullest_blocks
    std::optional<SimulationConfig> config;
    try {
      config = build_config(
          load_scenario_text(text, "random.json", ".", {changes, std::uint64_t{scenario}}));
    } catch (const UserError&) {
      continue;  // protection that fills the budget, and other contradictions
    }
    ++ran;
    Auditor auditor(config->cache);
    Simulation simulation(std::move(*config), {&auditor});
    Metrics metrics(simulation.config().cache, simulation.cache().pool(), 1);
    simulation.add_observer(metrics);
    while (simulation.step() == RunStatus::running) {
      simulation.cache().check_invariants();
      auditor.check_tokens(ordered);
    }
    simulation.cache().check_invariants();
    auditor.check_tokens(ordered);

    const Summary summary = metrics.summary();
    const Summary::Reclaim& reclaim = summary.reclaim;
    rounds += reclaim.rounds;
    CHECK(static_cast<std::uint64_t>(reclaim.blocks_freed_by_eviction) == auditor.freed);
    CHECK(reclaim.vacated_tokens <= reclaim.evicted_set_tokens);
    if (reclaim.sets_per_table == 1) CHECK(reclaim.vacated_tokens == reclaim.evicted_set_tokens);
    CHECK(summary.memory.live_slots.peak <= summary.memory.held_slots.peak);
    CHECK(summary.memory.kv_peak_blocks * simulation.config().cache.block_size ==
          summary.memory.held_slots.peak);
    CHECK(summary.serving.completed + simulation.unfinished() ==
          simulation.config().sequences.size());
    for (const double mass : summary.quality.retained_attention_mass)
      CHECK((mass >= 0 && mass <= 1 + 1e-6));
  }
  CHECK(ran > often(150));
  CHECK(rounds > often(300));
}
