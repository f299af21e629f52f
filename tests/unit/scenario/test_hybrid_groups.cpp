// SPDX-License-Identifier: Apache-2.0
// Models with sliding-window layers under vLLM, through whole runs.
#include <catch2/catch.hpp>

#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

// gpt-oss-20b: 12 layers of full attention, 12 with a window of 128 tokens.
const std::string one_request = R"({
  "model": "gpt-oss-20b",
  "device": "h100",
  "cache": {"block_size": 16, "blocks": 2000},
  "engine": {"profile": "vllm-main-2026-08"},
  "workload": {
    "source": "independent",
    "independent": {"requests": 1, "prompt_median": 100, "prompt_sigma": 0, "prompt_max": 100000,
                    "output_median": 2000, "output_sigma": 0, "output_max": 100000}
  }
})";

Summary serve_gpt_oss(const std::vector<std::string>& changes) {
  return test::serve(load(one_request, changes));
}

constexpr std::uint64_t layer_token_bytes = 2 * 8 * 64 * 2;  // K and V of 8 heads of 64, bf16

}  // namespace

TEST_CASE("a window's table holds the window's blocks, full attention all") {
  // The last token of the output is not computed: 2,099 tokens. When the last of them is, the
  // window begins at 2,099 - 128 = 1,971, so that the first 123 blocks are gone (spec engines V27).
  const Summary apart = serve_gpt_oss({});
  CHECK(apart.memory.kv_peak_blocks == 132 + (132 - 123));
  CHECK(load(one_request).cache.block_bytes == Bytes(16 * 12 * layer_token_bytes));
  const Summary together = serve_gpt_oss({"engine.hybrid_groups=false"});
  CHECK(together.memory.kv_peak_blocks == 132);
  CHECK(load(one_request, {"engine.hybrid_groups=false"}).cache.block_bytes ==
        Bytes(16 * 24 * layer_token_bytes));
}

TEST_CASE("while a prompt is computed its window's blocks are there at once") {
  // One step computes 8,192 tokens, 512 blocks in each table.
  const Summary run_whole = serve_gpt_oss(
      {"workload.independent.prompt_median=8192", "workload.independent.output_median=1"});
  CHECK(run_whole.memory.kv_peak_blocks == 2 * 512);
  // In chunks of 1,024 the window's table holds one chunk and the 127 tokens before it.
  const Summary chunks = serve_gpt_oss({"workload.independent.prompt_median=8192",
                                        "workload.independent.output_median=1",
                                        "serving.max_num_batched_tokens=1024"});
  CHECK(chunks.memory.kv_peak_blocks == 512 + (1024 + 128) / 16);
}

TEST_CASE("memory is divided by the bytes of a group's block") {
  const std::string halved = R"({"model": "gpt-oss-20b", "cache": {"memory": "3 GiB"},
    "engine": {"profile": "vllm-main-2026-08"}, "workload": {"source": "independent"}})";
  const Scenario apart = load(halved), together = load(halved, {"engine.hybrid_groups=false"});
  CHECK(apart.cache.blocks == (3ull << 30) / (16 * 12 * layer_token_bytes));
  CHECK(*apart.cache.blocks == 2 * *together.cache.blocks);
}

TEST_CASE("a shared prefix: sparse hashes find it from the third request on") {
  // Spec engines V28: the first sibling misses in the window's group and marks where the shared
  // prefix ends; dense hashes find it at once.
  const std::vector<std::string> siblings = {"workload.source=shared_prefix",
                                             "workload.arrivals=closed_loop",
                                             "workload.concurrency=1",
                                             "workload.shared_prefix.groups=1",
                                             "workload.shared_prefix.requests=3",
                                             "workload.shared_prefix.prefix_tokens=2048",
                                             "workload.shared_prefix.suffix_median=100",
                                             "workload.shared_prefix.suffix_sigma=0",
                                             "workload.shared_prefix.output_median=10",
                                             "workload.shared_prefix.output_sigma=0"};
  CHECK(serve_gpt_oss(siblings).serving.hit_tokens() == 2048);
  auto dense = siblings;
  dense.push_back("engine.profile=vllm-0.19.0");
  CHECK(serve_gpt_oss(dense).serving.hit_tokens() == 2 * 2048);
  auto together = siblings;
  together.push_back("engine.hybrid_groups=false");
  CHECK(serve_gpt_oss(together).serving.hit_tokens() == 2 * 2048);
}

TEST_CASE("many requests of a model with seven tables leave nothing behind") {
  const std::vector<std::string> crowd = {"model=gemma-3-27b",
                                          "workload.arrivals=closed_loop",
                                          "cache.blocks=1500",
                                          "workload.independent.requests=60",
                                          "workload.independent.prompt_median=900",
                                          "workload.independent.output_median=300",
                                          "workload.independent.prompt_sigma=0.5"};
  const Summary summary = serve_gpt_oss(crowd);
  CHECK(summary.serving.completed == 60);
  CHECK(summary.serving.preemptions > 0);
}

TEST_CASE("what needs one table for all layers is refused") {
  CHECK_THAT(fault_of(one_request, {"eviction.policy=random", "eviction.budget=500"}),
             Contains("/eviction/policy") && Contains("engine.hybrid_groups to false"));
  CHECK(fault_of(one_request, {"eviction.policy=random", "eviction.budget=500",
                               "engine.hybrid_groups=false"}) == "");
  CHECK_THAT(fault_of(one_request, {"serving.preemption=swap"}),
             Contains("/serving/preemption") && Contains("engine.hybrid_groups"));
  CHECK_THAT(fault_of(one_request, {"engine.profile=sglang-2026-07", "engine.hybrid_groups=true"}),
             Contains("/engine/hybrid_groups") && Contains("vLLM"));
  CHECK_THAT(fault_of(one_request, {"cache.blocks=1"}), Contains("2 block tables"));
}
