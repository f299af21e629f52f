// SPDX-License-Identifier: Apache-2.0
// What the section prefix does to an engine.
#include <catch2/catch.hpp>

#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

const std::string vllm = R"({
  "cache": {"block_size": 16, "blocks": 100},
  "engine": {"profile": "vllm-0.19.0"},
  "workload": {"trace": {"path": "shared:absent.jsonl"}}
})";

}  // namespace

TEST_CASE("a profile of vLLM takes any replacement policy that can do without the future") {
  const auto manager = [](const std::vector<std::string>& assignments) {
    return *load(vllm, assignments).serving->config.engine.hash_chain;
  };
  CHECK(manager({}).replacement == nullptr);
  CHECK(manager({"prefix.replacement=lru"}).replacement == nullptr);  // its own order
  for (const ReplacementEntry& entry : replacement_policies()) {
    const std::string choice = "prefix.replacement=" + entry.info.name;
    INFO(choice);
    if (entry.needs_next_use)
      CHECK_THAT(fault_of(vllm, {choice}), Contains("needs to know all uses to come"));
    else if (entry.info.name != "lru")
      CHECK(manager({choice, "cache.blocks_per_page=8"}).replacement == &entry);
    if (entry.needs_pages) {
      CHECK_THAT(fault_of(vllm, {choice}), Contains("Set cache.blocks_per_page"));
      CHECK_THAT(fault_of(vllm, {choice, "engine.profile=none", "serving.scheduler=block_replay"}),
                 Contains("blocks without a place"));
    }
  }
  const HashChainOptions ttl = manager({"prefix.replacement=ttl", "prefix.ttl.seconds=7.5"});
  CHECK(std::get<double>(ttl.replacement_parameters.at("seconds")) == 7.5);
}

TEST_CASE("a replacement policy that would have nothing to choose is a fault") {
  const std::string lfu = "prefix.replacement=lfu";
  CHECK_THAT(fault_of(vllm, {lfu, "cache.blocks=unlimited"}), Contains("a pool of given size"));
  CHECK_THAT(fault_of(vllm, {lfu, "engine.free_order=append"}),
             Contains("blocks without contents go first"));
  CHECK_THAT(fault_of(vllm, {lfu, "prefix.index=none"}), Contains("without an index"));
  CHECK_THAT(fault_of(vllm, {lfu, "serving.scheduler=active_window"}),
             Contains("in the order of freeing"));
  CHECK_THAT(fault_of(vllm, {lfu, "engine.profile=trtllm-2026-08"}),
             Contains("in the order of freeing"));
}

TEST_CASE("tenant quotas are vLLM's and the block replay's") {
  const std::string quota = "prefix.tenant_quota_blocks=7";
  CHECK(load(vllm).serving->config.engine.hash_chain->tenant_quota_blocks == 0);
  CHECK(load(vllm, {quota}).serving->config.engine.hash_chain->tenant_quota_blocks == 7);
  CHECK(load(vllm, {quota, "engine.profile=none", "serving.scheduler=block_replay"})
            .serving->prefix.tenant_quota_blocks == 7);
  CHECK_THAT(fault_of(vllm, {quota, "engine.profile=trtllm-2026-08"}), Contains("no quotas"));
  CHECK_THAT(fault_of(vllm, {quota, "engine.profile=orca-max"}), Contains("no quotas"));
  CHECK_THAT(fault_of(vllm, {quota, "cache.blocks=unlimited"}), Contains("a pool of given size"));
  CHECK_THAT(fault_of(vllm, {quota, "engine.free_order=append"}),
             Contains("blocks without contents go first"));
}

TEST_CASE("pinned prompts are for vLLM, SGLang and the block replay") {
  const std::string pins = "prefix.pinned_requests=\"0-3, 17\"", tokens = "prefix.pinned_tokens=64";
  const NumberRanges ranges = {{0, 3}, {17, 17}};
  CHECK(load(vllm).serving->pinned.empty());
  const Scenario pinned = load(vllm, {pins, tokens});
  CHECK(pinned.serving->config.engine.hash_chain->pinned.requests == ranges);
  CHECK(pinned.serving->config.engine.hash_chain->pinned.tokens == 64u);
  CHECK(load(vllm, {pins, "engine.profile=sglang-2026-07"})
            .serving->config.engine.radix->pinned.requests == ranges);
  CHECK(load(vllm, {pins, "engine.profile=none", "serving.scheduler=block_replay"})
            .serving->pinned.requests == ranges);

  CHECK_THAT(fault_of(vllm, {tokens}), Contains("no prompt is pinned"));
  CHECK_THAT(fault_of(vllm, {"prefix.pinned_requests=\"3-1\""}), Contains("cannot read"));
  CHECK_THAT(fault_of(vllm, {pins, "prefix.index=none"}), Contains("without an index"));
  CHECK_THAT(fault_of(vllm, {pins, "engine.profile=trtllm-2026-08"}),
             Contains("engine.retain_prompt_priority"));
  CHECK_THAT(fault_of(vllm, {pins, "engine.profile=orca-max"}), Contains("keeps nothing"));
  CHECK_THAT(fault_of(vllm, {pins, "model=gpt-oss-20b"}), Contains("sliding window"));
  CHECK_THAT(
      fault_of(vllm, {pins, "engine.profile=sglang-2026-07", "serving.scheduler=active_window"}),
      Contains("continuous_batching only"));
}
