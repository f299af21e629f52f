// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/verified_runs.hpp"

#include <memory>

namespace vacancy::test {
namespace {

std::string with_model(const std::string& rest) {
  return R"({"model": {"name": "small", "layers": 2, "query_heads": 2, "kv_heads": 2,
                       "head_dim": 64}, )" +
         rest + '}';
}

std::string lockstep(const std::string& reclaim) {
  return with_model(R"(
    "cache": {"block_size": 16, "blocks": 64},
    "eviction": {"policy": "random", "scope": "model", "budget": 40, "interval": 32,
                 "trigger": "slack", "prompt": "evictable"},
    "reclaim": {"kind": ")" +
                    reclaim + R"("},
    "workload": {"sequences": 2, "prompt_tokens": 50,
                 "output_tokens": {"distribution": "uniform", "min": 40, "max": 90}})");
}

/// Requests of `groups` prefixes in a pool of 24 blocks; `engine`: keys beside its profile.
std::string prefixes(const std::string& engine, int requests, int groups) {
  return with_model(R"(
    "cache": {"block_size": 16, "blocks": 24},
    "engine": {"profile": "vllm-main-2026-08")" +
                    engine + R"(},
    "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 512},
    "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
      "requests": )" +
                    std::to_string(requests) + R"(, "groups": )" + std::to_string(groups) + R"(,
      "prefix_tokens": 64, "suffix_median": 20, "output_median": 20, "output_max": 60}})");
}

constexpr const char* copy_out = R"(
    "cache": {"block_size": 16, "blocks": 100},
    "engine": {"profile": "vllm-main-2026-08"},
    "eviction": {"policy": "random", "scope": "model", "budget": 112, "interval": 16,
                 "trigger": "slack", "prompt": "evictable"},
    "reclaim": {"kind": "copy_out", "copy_out": {"when_full": "preempt"}},
    "serving": {"max_num_seqs": 8, "max_num_batched_tokens": 512},
    "workload": {"source": "shared_prefix", "arrivals": "closed_loop", "shared_prefix": {
      "requests": 3, "groups": 1, "prefix_tokens": 64, "suffix_median": 20,
      "output_median": 100, "output_max": 200}})";
constexpr const char* windows = R"({
    "model": "gpt-oss-20b",
    "cache": {"block_size": 16, "blocks": 60},
    "engine": {"profile": "vllm-main-2026-08"},
    "serving": {"max_num_seqs": 4, "max_num_batched_tokens": 128},
    "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
      "requests": 3, "prompt_median": 160, "output_median": 40, "output_max": 80}}})";
constexpr const char* beams = R"(
    "cache": {"block_size": 16, "blocks": 200},
    "engine": {"profile": "vllm-0.10.0"},
    "serving": {"max_num_seqs": 16, "max_num_batched_tokens": 512, "preemption": "recompute"},
    "workload": {"source": "independent", "arrivals": "closed_loop", "beam": {"width": 3},
      "independent": {"requests": 3, "prompt_median": 40, "output_median": 40}})";
/// Two steps in flight: requests are preempted whose last token is, and complete while they wait.
constexpr const char* in_flight = R"(
    "seed": 18,
    "cache": {"block_size": 16, "blocks": 16},
    "engine": {"profile": "vllm-0.19.0"},
    "serving": {"max_num_seqs": 8, "max_num_batched_tokens": 512},
    "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
      "requests": 20, "prompt_median": 20, "output_median": 40, "output_max": 120}})";
/// A pool that grows beside free blocks with cached contents.
constexpr const char* unlimited = R"(
    "seed": 4,
    "cache": {"block_size": 16, "blocks": "unlimited"},
    "engine": {"profile": "vllm-main-2026-08"},
    "serving": {"max_num_seqs": 1},
    "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
      "requests": 3, "prompt_median": 60, "prompt_sigma": 1.5, "output_median": 30}})";
constexpr const char* swapped = R"(
    "cache": {"block_size": 16, "blocks": 20},
    "engine": {"profile": "vllm-0.10.0"},
    "prefix": {"index": "none"},
    "serving": {"max_num_seqs": 8, "max_num_batched_tokens": 512, "preemption": "swap"},
    "workload": {"source": "independent", "arrivals": "closed_loop", "independent": {
      "requests": 8, "prompt_median": 40, "output_median": 60}})";
constexpr const char* swapped_beams = R"(
    "cache": {"block_size": 16, "blocks": 30},
    "engine": {"profile": "vllm-0.10.0"},
    "serving": {"max_num_seqs": 16, "max_num_batched_tokens": 512, "preemption": "swap"},
    "workload": {"source": "independent", "arrivals": "closed_loop", "beam": {"width": 3},
      "independent": {"requests": 4, "prompt_median": 40, "output_median": 80,
                      "output_max": 120}})";

}  // namespace

const std::map<std::string, std::string>& small_scenarios() {
  static const std::map<std::string, std::string> all = {
      {"slide", lockstep("slide")},
      {"fill_holes", lockstep("fill_holes")},
      {"copy_out", with_model(copy_out)},
      {"windows", windows},
      {"beams", with_model(beams)},
      {"prefixes", prefixes("", 12, 2)},
      {"in flight", with_model(in_flight)},
      {"unlimited", with_model(unlimited)},
      {"host", prefixes(R"(, "host_blocks": 40)", 20, 4)},
      {"host, many prefixes", prefixes(R"(, "host_blocks": 40)", 40, 6)},
      {"swap", with_model(swapped)},
      {"swapped beams", with_model(swapped_beams)}};
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
