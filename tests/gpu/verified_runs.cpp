// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/verified_runs.hpp"

#include <memory>

namespace vacancy::test {
namespace {

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

}  // namespace

const std::map<std::string, std::string>& small_scenarios() {
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
                                                         {"windows", R"({
        "model": "gpt-oss-20b",
        "cache": {"block_size": 16, "blocks": 60},
        "engine": {"profile": "vllm-main-2026-08"},
        "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 128},
        "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
          "requests": 3, "prompt_median": 160, "output_median": 40, "output_max": 80}}})"},
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
                                                         {"host, many prefixes", R"({
        "model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 64},
        "cache": {"block_size": 16, "blocks": 24},
        "engine": {"profile": "vllm-main-2026-08", "host_blocks": 40},
        "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 512},
        "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
          "requests": 40, "groups": 6, "prefix_tokens": 64, "suffix_median": 20,
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

verify::VerifyResult verified_small(const std::string& scenario, gpu::Device& device,
                                    const verify::VerifyOptions& options) {
  return verify::verify_scenario(load_scenario_text(small_scenarios().at(scenario), scenario, "."),
                                 device, options, [](auto, auto) { return true; });
}

verify::VerifyResult verified_with(const PlantedFault& fault, gpu::Device& device, bool& planted) {
  verify::VerifyOptions options;
  if (fault.spoil_event)
    options.between = [&](Observer& verifier) -> std::unique_ptr<Observer> {
      return std::make_unique<FaultyStream>(fault.spoil_event, verifier, planted);
    };
  if (fault.spoil_work)
    options.verifier.watcher = [&](verify::MemoryWork& work) {
      if (!planted) planted = fault.spoil_work(work);
    };
  return verified_small(fault.scenario, device, options);
}

}  // namespace vacancy::test
