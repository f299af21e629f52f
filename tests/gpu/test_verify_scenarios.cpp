// SPDX-License-Identifier: Apache-2.0
// The project's own scenarios, beside memory that kernels change. Small workloads here; with the
// tag
// [.large] the workloads that the files have.
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <vector>

#include "gpu_backend/verify/verify_scenario.hpp"
#include "sim/units/error.hpp"
#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verify_faults.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy {
namespace {

struct Case {
  std::string file;
  std::vector<std::string> small;  // other values, so that it takes a moment
  bool content = true;             // the engine has block tables
  bool evicts = true;
  std::string event = "clock_advanced";  // that must happen where it is small
};

std::vector<Case> cases() {
  const std::string chats = "workload.multi_turn.requests=";
  return {
      {"seed/evict_14k_of_16k.json", {"workload.prompt_tokens=800", "eviction.budget=100"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=slide"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=fill_holes"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=fullest_blocks"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=800", "eviction.budget=96", "reclaim.kind=whole_block"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=800", "eviction.budget=100", "reclaim.kind=copy_out"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=600", "eviction.budget=100", "reclaim.kind=slide",
        "eviction.scope=per_head"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=400", "eviction.budget=100", "reclaim.kind=slide",
        "eviction.scope=per_layer", "cache.table=per_layer"}},
      {"seed/evict_14k_of_16k.json",
       {"workload.prompt_tokens=300", "eviction.budget=100", "reclaim.kind=fill_holes",
        "eviction.scope=per_layer_per_head", "cache.table=per_layer_per_head"}},
      {"seed/steady_state.json", {"workload.output_tokens=400", "eviction.budget=128"}},
      {"seed/aime25_budget_3072.json", {"workload.output_tokens=400", "eviction.budget=96"}},
      {"seed/qwen3_32b_6gib.json", {"workload.output_tokens=200"}, true, false},
      {"synthetic/head_correlation.json",
       {"workload.prompt_tokens=320", "eviction.budget=64", "workload.sequences=2"}},
      {"synthetic/mixed_lengths.json", {"workload.sequences=4", "cache.blocks=100"}},
      {"synthetic/one_survivor_per_block.json", {"workload.prompt_tokens=800"}},
      {"block_aware/one_shot.json",
       {"workload.sequences=1", "workload.prompt_tokens=1024", "eviction.once.at=1024",
        "eviction.budget=256"}},
      {"shared_prefix/zipage.json",
       {"workload.shared_prefix.requests=2", "workload.shared_prefix.output_median=60",
        "workload.shared_prefix.prefix_tokens=128", "eviction.budget=240"}},
      {"shared_prefix/page_scatter.json",
       {"workload.shared_prefix.requests=4", "workload.shared_prefix.output_median=60"},
       true,
       false},
      {"serving/beam_search.json", {"workload.independent.requests=1"}, true, false},
      {"serving/chats_and_prefixes.json", {chats + "3"}, true, false},
      {"serving/host_memory.json",
       {chats + "12", "cache.blocks=200", "serving.max_num_seqs=2"},
       true,
       false,
       "host_blocks_loaded"},
      {"serving/gpt_oss_windows.json",
       {"workload.shared_prefix.requests=3", "workload.shared_prefix.output_median=40"},
       true,
       false},
      {"serving/swap_or_recompute.json",
       {"workload.independent.requests=6", "cache.blocks=60", "serving.preemption=swap"},
       true,
       false,
       "sequence_swapped_in"},
      {"serving/why_paging.json", {"workload.independent.requests=4"}, false, false},
      {"serving/sglang_host_tier.json", {chats + "3"}, false, false},
      {"serving/trtllm_host_memory.json", {chats + "3"}, false, false},
      {"serving/trtllm_gpt_oss_windows.json", {"workload.independent.requests=4"}, false, false},
  };
}

verify::VerifyResult verified(const Case& one, const std::vector<std::string>& values,
                              gpu::Device& device) {
  const Scenario scenario =
      load_scenario(test::source_file("/scenarios/") + one.file, {values, {}});
  return verify::verify_scenario(scenario, device, {}, [](auto, auto) { return true; });
}

void check(const Case& one, const verify::VerifyResult& result) {
  INFO((result.difference ? sentence(*result.difference) : ""));
  CHECK_FALSE(result.difference);
  CHECK(result.counts.events > 0);
  // What has no content to verify says so.
  CHECK((result.layers > 0) == one.content);
  CHECK((result.counts.rows > 0) == one.content);
  if (!one.content) CHECK_FALSE(result.notes.empty());
  if (one.evicts) {
    CHECK(result.counts.rounds > 0);
    CHECK(result.counts.attention > 0);
    CHECK(result.counts.worst_attention <= verify::Verifier::attention_tolerance);
  }
}

}  // namespace

TEST_CASE("verify: the project's scenarios, small") {
  VACANCY_ON_DEVICE(device);
  for (const Case& one : cases()) {
    INFO(one.file);
    const verify::VerifyResult result = verified(one, one.small, device);
    check(one, result);
    if (one.content) CHECK(result.counts.operations.count(one.event) > 0);
  }
}

TEST_CASE("verify: random keep sets are chosen anew by kernels, every one") {
  VACANCY_ON_DEVICE(device);
  const Case one{"seed/steady_state.json", {}};
  const auto result = verified(
      one, {"workload.output_tokens=300", "eviction.budget=64", "eviction.scope=per_head"}, device);
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

TEST_CASE("verify: the smallest run that differs is found by bisection") {
  VACANCY_ON_DEVICE(device);
  const std::string file = test::source_file("/scenarios/synthetic/mixed_lengths.json");
  const ScenarioOverrides given{
      {"workload.prompt_tokens=20", "workload.output_tokens=30", "cache.blocks=200"}, {}};
  // Sequence 2 never tells of the token at position 33.
  const auto lies = [](const Event& event, Observer&) {
    const auto* const appended = std::get_if<TokensAppended>(&event);
    return appended != nullptr && appended->sequence == SequenceId(2) && appended->first == 33;
  };
  const auto differs = [&](const Scenario& scenario) {
    bool planted = false;
    verify::VerifyOptions options;
    options.between = [&](Observer& verifier) -> std::unique_ptr<Observer> {
      return std::make_unique<test::FaultyStream>(lies, verifier, planted);
    };
    return verify::verify_scenario(scenario, device, options, [](auto, auto) { return true; })
        .difference.has_value();
  };
  const ScenarioOverrides smallest = verify::smallest_difference(file, given, differs);
  const Scenario scenario = load_scenario(file, smallest);
  CHECK(differs(scenario));
  CHECK(scenario.sequences == 3);
  const auto resolved = resolved_json(scenario).at("workload");
  CHECK(resolved.at("output_tokens") == 14);
}

TEST_CASE("verify: the project's scenarios as they are", "[.large]") {
  VACANCY_ON_DEVICE(device);
  for (const Case& one : cases()) {
    INFO(one.file);
    check(one, verified(one, {}, device));
  }
}

}  // namespace vacancy
