// SPDX-License-Identifier: Apache-2.0
// Scenarios that switch the engine: what they accept, what they report, and Protocol B.
#include <catch2/catch.hpp>

#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"
#include "tests/support/serve.hpp"
#include "tests/support/shared_data.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;

namespace {

using Changes = std::vector<std::string>;

const std::filesystem::path scenarios = test::source_dir() / "scenarios";

Scenario engines(const Changes& changes) {
  return load_scenario(scenarios / "serving/three_engines.json", {changes, {}});
}

void refused(const Changes& changes, const std::string& sentence) {
  CHECK_THROWS_WITH(engines(changes), Contains(sentence));
}

}  // namespace

TEST_CASE("the three engines serve a trace, and report what they held and found") {
  if (!test::shared_file("data/mooncake/conversation_trace.jsonl")) return;
  for (const std::string profile : {"vllm-main-2026-08", "sglang-2026-07", "trtllm-2026-08"}) {
    INFO(profile);
    const Summary summary =
        test::serve(engines({"engine.profile=" + profile, "workload.trace.limit=60"}));
    CHECK(summary.serving.completed == 60);
    CHECK(summary.serving.blocks_allocated > 0);
    CHECK(summary.serving.blocks_evicted > 0);
    CHECK(summary.serving.hit_tokens() > 0);
    CHECK(summary.memory.kv_peak_blocks > 8192);
    CHECK(summary.memory.kv_peak_blocks <= 16384);
    CHECK(summary.memory.held_slots.end == 0);
    CHECK(summary.memory.live_slots.peak <= summary.memory.held_slots.peak);
  }
}

TEST_CASE("the order of SGLang's queue decides how much of its cache is found") {
  const auto run = [](const std::string& policy) {
    return test::serve(
        load_scenario(scenarios / "serving/sglang_longest_prefix_first.json",
                      {{"serving.policy=" + policy, "workload.shared_prefix.requests=400"}, {}}));
  };
  const Summary fcfs = run("fcfs");
  for (const std::string policy : {"lpm", "dfs-weight"}) {
    INFO(policy);
    const Summary ordered = run(policy);
    CHECK(ordered.serving.query_tokens == fcfs.serving.query_tokens);
    CHECK(ordered.serving.lookups == 400);  // none for the order
    CHECK(2 * ordered.serving.hit_tokens() > 3 * fcfs.serving.hit_tokens());
    CHECK(ordered.serving.blocks_evicted < fcfs.serving.blocks_evicted);
    CHECK(ordered.run.virtual_time < fcfs.run.virtual_time);
  }
}

TEST_CASE("what belongs to one engine is refused for another, with a remedy") {
  refused({"engine.profile=sglang-2026-07", "engine.free_order=append"}, "one of vLLM's");
  refused({"engine.capacity_policy=static_batch"}, "one of TensorRT-LLM's");
  refused({"engine.profile=trtllm-2026-08", "cache.blocks=null"}, "set cache.blocks");
  refused({"engine.profile=trtllm-2026-08", "prefix.index=radix_tree"}, "reuse_tree or none");
  refused({"engine.profile=sglang-2026-07", "prefix.index=none"}, "radix_tree");
  refused({"engine.profile=sglang-2026-07", "eviction.policy=random"}, "block tables of vLLM");
}

TEST_CASE("a step that takes no block of an engine that cuts prompts there is refused") {
  for (const std::string profile : {"sglang-2026-07", "trtllm-2026-08"}) {
    const Changes small = {"engine.profile=" + profile, "cache.block_size=16",
                           "serving.max_num_batched_tokens=15"};
    refused(small, "takes no block");
    Changes whole = small;
    whole.push_back("serving.chunked_prefill=false");
    CHECK_NOTHROW(engines(whole));
  }
}

TEST_CASE(
    "eviction in an engine: with two steps in flight too, and a round before a request is gone") {
  const Changes eviction = {"eviction.policy=random", "eviction.budget=512",
                            "eviction.interval=64"};
  const auto with = [&](Changes more) {
    more.insert(more.end(), eviction.begin(), eviction.end());
    return more;
  };
  CHECK_NOTHROW(engines(with({})));
  CHECK_NOTHROW(engines(with({"engine.steps_in_flight=2"})));
  refused(with({"eviction.trigger=once"}), "leaves the engine with its last token");
  CHECK_NOTHROW(engines(with({"eviction.trigger=once", "eviction.once.at=prompt_end"})));
  CHECK_NOTHROW(engines(with({"eviction.trigger=once", "eviction.once.at=600"})));
}

TEST_CASE("Protocol B: trtllm-2026-08, 32,768 blocks of 16, Mooncake conversation trace") {
  if (!test::shared_file("data/mooncake/conversation_trace.jsonl")) return;
  const Scenario scenario = load_scenario(scenarios / "protocols/cache_only.json",
                                          {{"engine.profile=trtllm-2026-08"}, {}});
  const auto replay = build_replay(scenario);
  while (replay->serve()) {
  }
  const Summary::Serving serving = replay->summary().serving;
  CHECK(serving.completed == 12'031);
  CHECK(serving.hit_tokens() == 6'592'735);
  CHECK(serving.blocks_allocated == 8'900'082);
}
