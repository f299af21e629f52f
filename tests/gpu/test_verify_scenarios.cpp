// SPDX-License-Identifier: Apache-2.0
// The project's own scenarios, beside memory that kernels change.
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"
#include "sim/cli/verify_files.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/units/error.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/support/scenario_files.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy {
namespace {

using Catch::Matchers::Contains;
using Values = std::vector<std::string>;
using Shorter = std::map<std::string, Values>;

/// Other values for scenarios whose own workloads take more than seconds. The events that their
/// files are about still happen.
const Shorter& shorter() {
  static const Shorter all = {
      {"block_aware/steady.json", {"workload.sequences=1", "workload.output_tokens=8000"}},
      {"protocols/scheduler_closed_loop.json", {"workload.trace.limit=12"}},
      {"real/qwen3_8b_triattention.json", {"workload.output_tokens=300", "eviction.budget=128"}},
      {"real/tiny_llama.json", {"workload.sequences=8"}},
      {"real/vllm_rtx4090.json",
       {"workload.trace.limit=30", "workload.trace.measured_run=null", "cache.blocks=500"}},
      {"seed/aime25_budget_3072.json", {"workload.output_tokens=6000"}},
      {"seed/steady_state.json", {"workload.output_tokens=6000"}},
      {"serving/beam_search.json", {"workload.independent.requests=12"}},
      {"serving/chats_and_prefixes.json", {"workload.multi_turn.requests=60"}},
      {"serving/defects_of_eviction.json",
       {"workload.independent.requests=12", "cache.blocks=200"}},
      {"serving/eviction_admits_waiting.json", {"workload.trace.limit=6", "eviction.scope=model"}},
      {"serving/gpt_oss_windows.json", {"workload.shared_prefix.requests=20"}},
      {"serving/host_memory.json", {"workload.multi_turn.requests=40", "cache.blocks=600"}},
      {"serving/pinned_prefixes.json", {"workload.shared_prefix.requests=30"}},
      {"serving/policies_side_by_side.json", {"workload.trace.limit=10"}},
      {"serving/random_attention_h200.json",
       {"workload.independent.requests=2", "workload.independent.output_median=3000"}},
      {"serving/swap_or_recompute.json", {"workload.independent.requests=40", "cache.blocks=200"}},
      {"serving/three_engines.json", {"workload.trace.limit=8"}},
      {"serving/triattention_a100.json",
       {"workload.independent.requests=2", "workload.independent.output_median=3000"}},
      {"serving/triattention_b200.json",
       {"workload.independent.requests=2", "workload.independent.output_median=4000"}},
      {"shared_prefix/zipage.json",
       {"workload.shared_prefix.requests=2", "workload.shared_prefix.output_median=600"}}};
  return all;
}

/// Where the simulator has no block tables: only who holds what, or the order of tokens, is
/// verified.
const std::set<std::string> without_tables = {
    "serving/sglang_host_tier.json", "serving/sglang_longest_prefix_first.json",
    "serving/trtllm_gpt_oss_windows.json", "serving/trtllm_host_memory.json",
    "serving/why_paging.json"};

/// Replays through a prefix cache: no tables, no keys and values, no events.
const std::set<std::string> refused = {"protocols/bare_16.json", "protocols/block_cache.json",
                                       "protocols/cache_only.json",
                                       "protocols/claude_code_lru.json"};

std::string scenario_folder() {
  return test::source_file("/scenarios/");
}

verify::VerifyResult verified(const Scenario& scenario, gpu::Device& device) {
  return verify::verify_scenario(scenario, device, {}, [](auto, auto) { return true; });
}
verify::VerifyResult verified(const std::string& file, const Values& values, gpu::Device& device) {
  return verified(load_scenario(scenario_folder() + file, {values, {}}), device);
}

bool evicts(const Scenario& scenario) {
  return scenario.eviction_policy != nullptr &&
         scenario.eviction_policy->keep_rule() != KeepRule::all;
}

/// Nothing differs, and what there was to verify was verified; what has no content says so.
void check(const verify::VerifyResult& result, bool evicts, bool tables) {
  INFO((result.difference ? sentence(*result.difference) : ""));
  CHECK_FALSE(result.difference);
  CHECK(result.counts.events > 0);
  CHECK((result.layers > 0) == tables);
  CHECK((result.counts.rows > 0) == tables);
  if (!tables) CHECK_FALSE(result.notes.empty());
  CHECK((result.counts.rounds > 0) == evicts);
  CHECK((result.counts.attention > 0) == evicts);
  CHECK(result.counts.worst_attention <= verify::Verifier::attention_tolerance);
}

bool needs_shared_data(const std::string& file) {
  return read_text_file(scenario_folder() + file).find("\"shared:") != std::string::npos;
}

/// Of the scenarios that do, or do not, need shared data.
void check_scenarios(gpu::Device& device, bool on_shared_data, const Shorter& values) {
  for (const auto& path : test::scenario_files(scenario_folder())) {
    const std::string file = path.lexically_relative(scenario_folder()).generic_string();
    if (needs_shared_data(file) != on_shared_data) continue;
    INFO(file);
    const auto given = values.find(file);
    const Scenario scenario =
        load_scenario(path.string(), {given == values.end() ? Values() : given->second, {}});
    if (refused.count(file) > 0)
      CHECK_THROWS_WITH(verified(scenario, device), Contains("there is nothing to verify"));
    else
      check(verified(scenario, device), evicts(scenario), without_tables.count(file) == 0);
  }
}

bool without_shared_data() {
  return !test::shared_file("data");
}

struct Variant {
  std::string file;
  Values values;
  bool evicts = true;
  std::string event = "round_finished";  // that must happen
};

/// Small workloads that reach what an engine, a reclaimer, a scope or a layout of tables does.
std::vector<Variant> variants() {
  const std::string evict = "seed/evict_14k_of_16k.json";
  const std::string chats = "workload.multi_turn.requests=";
  return {
      {evict, {"workload.prompt_tokens=800", "eviction.budget=100"}},
      {evict, {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=slide"}},
      {evict, {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=fill_holes"}},
      {evict, {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=fullest_blocks"}},
      {evict, {"workload.prompt_tokens=800", "eviction.budget=96", "reclaim.kind=whole_block"}},
      {evict, {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=copy_out"}},
      {evict,
       {"workload.prompt_tokens=600", "eviction.budget=100", "reclaim.kind=slide",
        "eviction.scope=per_head"}},
      {evict,
       {"workload.prompt_tokens=400", "eviction.budget=100", "reclaim.kind=slide",
        "eviction.scope=per_layer", "cache.table=per_layer"}},
      {evict,
       {"workload.prompt_tokens=300", "eviction.budget=100", "reclaim.kind=fill_holes",
        "eviction.scope=per_layer_per_head", "cache.table=per_layer_per_head"}},
      {"seed/steady_state.json", {"workload.output_tokens=400", "eviction.budget=128"}},
      {"synthetic/head_correlation.json",
       {"workload.prompt_tokens=320", "eviction.budget=64", "workload.sequences=2"}},
      {"synthetic/mixed_lengths.json", {"workload.sequences=4", "cache.blocks=100"}},
      {"block_aware/one_shot.json",
       {"workload.sequences=1", "workload.prompt_tokens=1024", "eviction.once.at=1024",
        "eviction.budget=256"}},
      {"shared_prefix/zipage.json",
       {"workload.shared_prefix.requests=2", "workload.shared_prefix.output_median=60",
        "workload.shared_prefix.prefix_tokens=128", "eviction.budget=240"}},
      {"serving/beam_search.json", {"workload.independent.requests=1"}, false, "block_copied"},
      {"serving/chats_and_prefixes.json", {chats + "3"}, false, "blocks_adopted"},
      {"serving/host_memory.json",
       {chats + "12", "cache.blocks=200", "serving.max_num_seqs=2"},
       false,
       "host_blocks_loaded"},
      {"serving/gpt_oss_windows.json",
       {"workload.shared_prefix.requests=3", "workload.shared_prefix.output_median=40"},
       false,
       "blocks_released"},
      {"serving/swap_or_recompute.json",
       {"workload.independent.requests=6", "cache.blocks=60", "serving.preemption=swap"},
       false,
       "sequence_swapped_in"},
  };
}

}  // namespace

TEST_CASE("verify: reclaimers, scopes, tables and engines, on small workloads") {
  VACANCY_ON_DEVICE(device);
  for (const Variant& one : variants()) {
    INFO(one.file);
    const verify::VerifyResult result = verified(one.file, one.values, device);
    check(result, one.evicts, true);
    CHECK(result.counts.operations.count(one.event) > 0);
  }
}

TEST_CASE("verify: every scenario of the project, the long ones shorter", "[slow]") {
  VACANCY_ON_DEVICE(device);
  check_scenarios(device, false, shorter());
}

TEST_CASE("verify: every scenario on shared data, the long ones shorter", "[.shared]") {
  VACANCY_ON_DEVICE(device);
  if (without_shared_data()) return;
  check_scenarios(device, true, shorter());
}

TEST_CASE("verify: every scenario with its own workload, by hand", "[.large]") {
  VACANCY_ON_DEVICE(device);
  check_scenarios(device, false, {});
  if (!without_shared_data()) check_scenarios(device, true, {});
}

TEST_CASE("verify: what is said of the project's scenarios here is said of files that exist") {
  const auto exists = [](const std::string& file) {
    INFO(file);
    CHECK(std::filesystem::exists(scenario_folder() + file));
  };
  for (const auto& [file, values] : shorter())
    exists(file);
  for (const auto& files : {without_tables, refused})
    for (const std::string& file : files)
      exists(file);
}

TEST_CASE("verify: a sweep is many scenarios, and refused in a sentence") {
  std::ostringstream out, err;
  const auto sweeps = test::sweep_files(scenario_folder());
  REQUIRE_FALSE(sweeps.empty());
  for (const auto& sweep : sweeps) {
    VerifyFiles options;
    options.files = {sweep.string()};
    CHECK_THROWS_WITH(verify_files(options, {out, err}), Contains("is a sweep, many scenarios"));
  }
}

TEST_CASE("verify: random keep sets are chosen anew by kernels, every one") {
  VACANCY_ON_DEVICE(device);
  const auto result = verified(
      "seed/steady_state.json",
      {"workload.output_tokens=300", "eviction.budget=64", "eviction.scope=per_head"}, device);
  CHECK_FALSE(result.difference);
  CHECK(result.selections.sets == result.counts.rounds * 8);
}

TEST_CASE("verify: a replay of a prefix cache has nothing to verify, and says so") {
  VACANCY_ON_DEVICE(device);
  const Scenario scenario = load_scenario_text(
      R"({"model": "llama-3-8b", "cache": {"block_size": 16, "blocks": 100},
          "serving": {"scheduler": "block_replay"},
          "workload": {"source": "multi_turn", "multi_turn": {"requests": 4}}})",
      "replay", ".");
  CHECK_THROWS_AS(verify::verify_scenario(scenario, device, {}, [](auto, auto) { return true; }),
                  UserError);
}

TEST_CASE("verify: with a sample the contents of every n-th sequence are followed, tables of all") {
  VACANCY_ON_DEVICE(device);
  const Scenario scenario =
      load_scenario(test::source_file("/scenarios/synthetic/mixed_lengths.json"),
                    {{"workload.sequences=7", "cache.blocks=100"}, {}});
  const auto sampled = [&](std::uint32_t n) {
    verify::VerifyOptions options;
    options.verifier.sample = n;
    return verify::verify_scenario(scenario, device, options, [](auto, auto) { return true; });
  };
  const auto all = sampled(1), third = sampled(3);
  for (const auto* const result : {&all, &third}) {
    CHECK_FALSE(result->difference);
    CHECK(result->counts.sequences == 7);
  }
  CHECK(all.counts.watched_sequences == 7);
  CHECK(third.counts.watched_sequences == 3);  // 0, 3 and 6
  CHECK(third.counts.tables == all.counts.tables);
  CHECK(third.counts.rows > 0);
  CHECK(third.counts.rows * 2 < all.counts.rows);
  REQUIRE(third.notes.size() == all.notes.size() + 1);
  CHECK(
      third.notes.back() ==
      "Contents were followed for 3 of 7 sequences, tables for all; --sample 1 follows every one.");
}

}  // namespace vacancy
