// SPDX-License-Identifier: Apache-2.0
// Engines with contiguous memory in scenarios.
#include <catch2/catch.hpp>

#include "tests/unit/scenario/scenario_text.hpp"

using namespace vacancy;
using Catch::Matchers::Contains;
using vacancy::test::fault_of;
using vacancy::test::load;

namespace {

const std::string orca = R"({
  "cache": {"block_size": 16, "blocks": 981},
  "engine": {"profile": "orca-pow2"},
  "workload": {"trace": {"path": "shared:absent.jsonl"}}
})";

}  // namespace

TEST_CASE("a contiguous engine takes its pool from the cache, and its longest sequence") {
  const Scenario as_is = load(orca);
  const EngineProfile& engine = as_is.serving->config.engine;
  CHECK(engine.contiguous->reservation == Reservation::pow2);
  CHECK(engine.contiguous->block_size == 16);
  CHECK(engine.contiguous->blocks == 981);
  CHECK(engine.max_sequence_tokens == 2048);
  const Scenario longer = load(orca, {"engine.max_sequence_tokens=8192"});
  CHECK(longer.serving->config.engine.max_sequence_tokens == 8192);
  const Scenario paged =
      load(orca, {"engine.profile=vllm-0.10.0", "engine.max_sequence_tokens=8192"});
  CHECK(paged.serving->config.engine.max_sequence_tokens == 8192);
  CHECK_FALSE(load(orca, {"engine.profile=vllm-0.10.0"})
                  .serving->config.engine.max_sequence_tokens.has_value());
}

TEST_CASE("what a contiguous engine does not have is a fault") {
  CHECK_THAT(fault_of(orca, {"cache.blocks=unlimited"}), Contains("has a pool of a given size"));
  CHECK_THAT(fault_of(orca, {"engine.watermark_blocks=1"}), Contains("one of vLLM's"));
  CHECK_THAT(fault_of(orca, {"prefix.index=hash_chain"}), Contains("no blocks of earlier"));
  CHECK_THAT(fault_of(orca, {"serving.scheduler=active_window"}),
             Contains("continuous_batching only"));
  CHECK_THAT(fault_of(orca, {"engine.profile=vllm-0.10.0", "serving.scheduler=active_window",
                             "engine.max_sequence_tokens=10"}),
             Contains("only continuous_batching refuses"));
  CHECK_THAT(fault_of(orca, {"eviction.policy=random", "eviction.budget=100"}),
             Contains("needs the block tables of vLLM"));
  CHECK_THAT(fault_of(orca, {"engine.max_sequence_tokens=0"}), Contains("max_sequence_tokens"));
}
