// SPDX-License-Identifier: Apache-2.0
// Copies of cached blocks in host memory under vLLM's profiles, through whole runs.
#include <catch2/catch.hpp>

#include "tests/support/serve.hpp"
#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

// One request at a time, each with one of 40 prefixes of 64 blocks, more than the pool holds.
const std::string prefixes = R"({
  "model": "llama-3-8b",
  "device": "a100-80",
  "cache": {"block_size": 16, "blocks": 300},
  "engine": {"profile": "vllm-main-2026-08", "host_blocks": 100000},
  "workload": {
    "source": "shared_prefix",
    "arrivals": "closed_loop",
    "concurrency": 1,
    "shared_prefix": {"requests": 400, "groups": 40, "popularity": 0, "prefix_tokens": 1024,
                      "suffix_median": 100, "output_median": 20}
  }
})";

Summary::Serving serve_prefixes(const std::vector<std::string>& changes) {
  return test::serve(load(prefixes, changes)).serving;
}

}  // namespace

TEST_CASE("a host with room for all gives a small pool the hits of an unlimited one") {
  const auto small = serve_prefixes({}),
             unlimited = serve_prefixes({"cache.blocks=unlimited", "engine.host_blocks=0"});
  CHECK(small.hit_tokens() == unlimited.hit_tokens());
  CHECK(small.scheduled_tokens == unlimited.scheduled_tokens);
  CHECK(small.hit_tokens_host > 0);
  CHECK(small.host_blocks_evicted == 0);
  const auto alone = serve_prefixes({"engine.host_blocks=0"});
  CHECK(alone.hit_tokens() < small.hit_tokens() / 2);
  CHECK(alone.host_blocks_written == 0);
  // What the device still has is not loaded.
  CHECK(small.hit_tokens_host <= small.hit_tokens() - alone.hit_tokens());
}

TEST_CASE("of each contents one copy is stored") {
  const auto stored = serve_prefixes({}), unlimited = serve_prefixes({"cache.blocks=unlimited"});
  CHECK(stored.host_blocks_written == unlimited.host_blocks_written);
  CHECK(unlimited.hit_tokens_host == 0);
}

TEST_CASE("a step waits for what comes from the host") {
  const auto with_link = [&](std::int64_t ns_per_byte) {
    Scenario scenario = load(prefixes);
    scenario.serving->config.link_time = [ns_per_byte](Bytes bytes) {
      return SimTime(static_cast<std::int64_t>(bytes.value()) * ns_per_byte);
    };
    return test::serve(scenario);
  };
  const Summary fast = with_link(0), slow = with_link(1);
  CHECK(fast.serving.hit_tokens_host == slow.serving.hit_tokens_host);
  CHECK((slow.run.virtual_time - fast.run.virtual_time).value() ==
        static_cast<std::int64_t>(fast.serving.hit_tokens_host) * 131072);
  CHECK(load(prefixes).serving->config.link_time);
  CHECK_FALSE(load(prefixes, {"engine.host_blocks=0"}).serving->config.link_time);
}

TEST_CASE("a host tier that nothing uses is refused") {
  const auto fault = [&](const std::string& change) { return fault_of(prefixes, {change}); };
  CHECK_THAT(fault("prefix.index=none"), Contains("/engine/host_blocks") && Contains("index"));
  CHECK_THAT(fault("serving.preemption=swap"),
             Contains("/engine/host_blocks") && Contains("swapped"));
  CHECK_THAT(fault("engine.profile=orca-max"),
             Contains("/engine/host_blocks") && Contains("without host memory"));
  CHECK_THAT(fault("model=gpt-oss-20b"),
             Contains("/engine/host_blocks") && Contains("hybrid_groups"));
  CHECK_THAT(fault("serving.scheduler=active_window"), Contains("/engine/host_blocks"));
  CHECK_THAT(fault("engine.host_replacement=lfu"), Contains("one of lru, arc"));
}
