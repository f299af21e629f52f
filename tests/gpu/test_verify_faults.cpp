// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <map>
#include <string>

#include "tests/gpu/on_device.hpp"
#include "tests/gpu/verify_faults.hpp"

namespace vacancy {
namespace {

using test::PlantedFault;

std::string lockstep(const std::string& reclaim) {
  return R"({
    "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
    "cache": {"block_size": 16, "blocks": 64},
    "eviction": {"policy": "random", "scope": "model", "budget": 40, "interval": 32,
                 "trigger": "slack", "prompt": "evictable"},
    "reclaim": {"kind": ")" +
         reclaim + R"("},
    "workload": {"sequences": 2, "prompt_tokens": 50, "output_tokens": {"distribution": "uniform", "min": 40, "max": 90}}})";
}

const std::map<std::string, std::string>& scenarios() {
  static const std::map<std::string, std::string> all = {{"slide", lockstep("slide")},
                                                         {"copy_out", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 100},
        "engine": {"profile": "vllm-main-2026-08"},
        "eviction": {"policy": "random", "scope": "model", "budget": 112, "interval": 16,
                     "trigger": "slack", "prompt": "evictable"},
        "reclaim": {"kind": "copy_out", "copy_out": {"when_full": "preempt"}},
        "serving": {"max_num_seqs": 8, "max_num_batched_tokens": 512},
        "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
          "requests": 3, "groups": 1, "prefix_tokens": 64, "suffix_median": 20,
          "output_median": 100, "output_max": 200}}})"},
                                                         {"fill_holes", lockstep("fill_holes")},
                                                         {"beams", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 200},
        "engine": {"profile": "vllm-0.10.0"},
        "serving": {"max_num_seqs": 16, "max_num_batched_tokens": 512,
                    "preemption": "recompute"},
        "workload": {"source": "independent", "arrivals": "closed_loop", "beam": {"width": 3},
          "independent": {"requests": 3, "prompt_median": 40, "output_median": 40}}})"},
                                                         {"prefixes", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 24},
        "engine": {"profile": "vllm-main-2026-08"},
        "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 512},
        "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
          "requests": 12, "groups": 2, "prefix_tokens": 64, "suffix_median": 20,
          "output_median": 20, "output_max": 60}}})"},
                                                         {"host", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 24},
        "engine": {"profile": "vllm-main-2026-08", "host_blocks": 40},
        "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 512},
        "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
          "requests": 20, "groups": 4, "prefix_tokens": 64, "suffix_median": 20,
          "output_median": 20, "output_max": 60}}})"},
                                                         {"swap", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 20},
        "engine": {"profile": "vllm-0.10.0"},
        "prefix": {"index": "none"},
        "serving": {"max_num_seqs": 8, "max_num_batched_tokens": 512, "preemption": "swap"},
        "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
          "requests": 8, "prompt_median": 40, "output_median": 60}}})"},
                                                         {"swapped beams", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 30},
        "engine": {"profile": "vllm-0.10.0"},
        "serving": {"max_num_seqs": 16, "max_num_batched_tokens": 512, "preemption": "swap"},
        "workload": {"source": "independent", "arrivals": "closed_loop", "beam": {"width": 3},
          "independent": {"requests": 4, "prompt_median": 40, "output_median": 80,
                          "output_max": 120}}})"}};
  return all;
}

verify::VerifyResult verified(const PlantedFault* fault, const std::string& scenario,
                              gpu::Device& device, bool& planted) {
  verify::VerifyOptions options;
  if (fault != nullptr && fault->spoil_event)
    options.between = [&, fault](Observer& verifier) -> std::unique_ptr<Observer> {
      return std::make_unique<test::FaultyStream>(fault->spoil_event, verifier, planted);
    };
  if (fault != nullptr && fault->spoil_work)
    options.verifier.watcher = [&, fault](verify::MemoryWork& work) {
      if (!planted) planted = fault->spoil_work(work);
    };
  return verify::verify_scenario(load_scenario_text(scenarios().at(scenario), scenario, "."),
                                 device, options, [](auto, auto) { return true; });
}

void check_faults(const std::vector<PlantedFault>& faults, gpu::Device& device) {
  for (const PlantedFault& fault : faults) {
    INFO(fault.name << " (" << fault.scenario << ")");
    bool planted = false;
    const verify::VerifyResult result = verified(&fault, fault.scenario, device, planted);
    CHECK(planted);
    REQUIRE(result.difference);
    INFO(sentence(*result.difference));
    CHECK(result.difference->operation == fault.operation);
    CHECK(result.difference->event > 0);
    CHECK_FALSE(result.difference->expected.empty());
    CHECK_FALSE(result.difference->found.empty());
  }
}

}  // namespace

TEST_CASE("verify: honest runs have no difference") {
  VACANCY_ON_DEVICE(device);
  for (const auto& [name, text] : scenarios()) {
    INFO(name);
    bool planted = false;
    const verify::VerifyResult result = verified(nullptr, name, device, planted);
    INFO((result.difference ? sentence(*result.difference) : ""));
    CHECK_FALSE(result.difference);
    CHECK(result.counts.rows > 0);
    CHECK(result.counts.tables > 0);
    CHECK(result.counts.watched_sequences == result.counts.sequences);
    const auto happened = [&](const std::string& event) {
      return result.counts.operations.count(event) > 0;
    };
    CHECK(happened("host_blocks_loaded") == (name == "host"));
    CHECK(happened("sequence_swapped_in") == (name.find("swap") == 0));
  }
}

TEST_CASE("verify: every lie of the event stream is found, and the operation named") {
  VACANCY_ON_DEVICE(device);
  check_faults(test::stream_faults(), device);
}

TEST_CASE("verify: every slip of a kernel is found, and the operation named") {
  VACANCY_ON_DEVICE(device);
  check_faults(test::memory_faults(), device);
}

}  // namespace vacancy
