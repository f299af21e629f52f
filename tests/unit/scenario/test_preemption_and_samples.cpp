// SPDX-License-Identifier: Apache-2.0
// Preemption by swapping, and parallel sampling, through whole runs of made requests.
#include <catch2/catch.hpp>

#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

// All requests alike, and far too many for the pool.
const std::string crowd = R"({
  "model": "llama-3-8b",
  "device": "a100-80",
  "cache": {"block_size": 16, "blocks": 200},
  "engine": {"profile": "vllm-main-2026-08"},
  "prefix": {"index": "none"},
  "workload": {
    "source": "independent",
    "arrivals": "closed_loop",
    "independent": {"requests": 30, "prompt_median": 250, "prompt_sigma": 0,
                    "output_median": 150, "output_sigma": 0}
  }
})";

Summary serve_crowd(const std::vector<std::string>& changes) {
  return test::serve(load(crowd, changes));
}

}  // namespace

TEST_CASE("swapping computes every token once; recomputing does not") {
  const std::uint64_t tokens = 30 * (250 + 149);  // an output's last token is not computed
  const auto recomputed = serve_crowd({}).serving;
  REQUIRE(recomputed.preemptions > 0);
  CHECK(recomputed.recomputed_tokens > 0);
  CHECK(recomputed.scheduled_tokens == tokens + recomputed.recomputed_tokens);
  CHECK(recomputed.swapped_out_blocks == 0);

  const auto swapped = serve_crowd({"serving.preemption=swap"}).serving;
  REQUIRE(swapped.preemptions > 0);
  CHECK(swapped.recomputed_tokens == 0);
  CHECK(swapped.scheduled_tokens == tokens);
  CHECK(swapped.swapped_out_blocks >= 16 * swapped.preemptions);  // each at least its prompt
  CHECK(swapped.swapped_in_blocks == swapped.swapped_out_blocks);
}

TEST_CASE("a step that swaps waits for the link to the host") {
  const Scenario fast = load(crowd, {"serving.preemption=swap"});
  const auto& config = fast.serving->config;
  REQUIRE(config.link_time);
  // A block: 16 tokens x 32 layers x 8 heads x 128 x (K, V) x 2 bytes, over PCIe 4.0 x16.
  CHECK(static_cast<double>(config.link_time(Bytes(16 * 131072)).value()) ==
        Approx(16 * 131072 / 31.5).margin(1));
  CHECK_FALSE(load(crowd).serving->config.link_time);

  // The steps are the same with any link, and the whole run waits for all that went over it, also
  // before steps in which nothing could run: with the oldest as victim, the first in line is one.
  for (const std::string victim : {"newest", "oldest"}) {
    const auto with_link = [&](std::int64_t ns_per_byte) {
      Scenario scenario = load(crowd, {"serving.preemption=swap", "serving.victim=" + victim});
      scenario.serving->config.link_time = [ns_per_byte](Bytes bytes) {
        return SimTime(static_cast<std::int64_t>(bytes.value()) * ns_per_byte);
      };
      return test::serve(scenario);
    };
    const Summary fast_run = with_link(0), slow_run = with_link(1);
    CHECK(slow_run.serving.steps == fast_run.serving.steps);
    const std::uint64_t blocks =
        fast_run.serving.swapped_out_blocks + fast_run.serving.swapped_in_blocks;
    CHECK((slow_run.run.virtual_time - fast_run.run.virtual_time).value() ==
          static_cast<std::int64_t>(blocks) * 16 * 131072);
  }
}

TEST_CASE("what cannot be swapped is refused") {
  const auto fault = [](std::vector<std::string> more) {
    more.push_back("serving.preemption=swap");
    return fault_of(crowd, more);
  };
  CHECK_THAT(fault({"engine.profile=vllm-0.19.0"}), Contains("one step in flight"));
  CHECK_THAT(fault({"engine.profile=sglang-2026-07", "prefix.index=radix_tree"}),
             Contains("block tables of vLLM"));
  CHECK_THAT(fault({"eviction.policy=random", "eviction.budget=64", "eviction.interval=16"}),
             Contains("evicted from cannot be swapped"));
  CHECK_THAT(fault({"serving.scheduler=active_window"}), Contains("only continuous_batching"));
}

TEST_CASE("n samples share their prompt's full blocks") {
  // PagedAttention, figure 15, in closed form: of P tokens floor((P - 1) / B) blocks are found by
  // the siblings, who compute the last token themselves.
  const auto peak = [](std::uint32_t samples, const std::string& index) {
    return serve_crowd({"cache.blocks=1000", "prefix.index=" + index,
                        "workload.independent.requests=1",
                        "workload.samples=" + std::to_string(samples)})
        .memory.kv_peak_blocks;
  };
  const std::uint32_t whole = 25, prompt = 15;  // ceil(399 / 16), floor(249 / 16)
  for (const std::uint32_t n : {1u, 2u, 6u}) {
    CHECK(peak(n, "hash_chain") == prompt + n * (whole - prompt));
    CHECK(peak(n, "none") == n * whole);
  }
  CHECK_THAT(fault_of(crowd, {"workload.samples=0"}), Contains("samples"));
  CHECK_THAT(fault_of(crowd, {"workload.samples=2", "serving.scheduler=active_window"}),
             Contains("only continuous_batching samples"));
}

TEST_CASE("step times of another model than the scenario's are noted") {
  const auto notes = [](const std::string& model) {
    return load(crowd, {"device=rtx-4090-llama-3.1-8b", "model=" + model}).notes;
  };
  CHECK(notes("llama-3.1-8b").empty());
  CHECK(notes("qwen3-8b") ==
        std::vector<std::string>{
            "The step times of NVIDIA GeForce RTX 4090 serving Llama-3.1-8B with vLLM 0.19.0 were "
            "measured with Llama-3.1-8B and are used for Qwen3-8B all the same."});
}
