// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <random>
#include <string>
#include <vector>

#include "gui/model/recorded_run.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/units/error.hpp"
#include "tests/support/source_dir.hpp"

namespace vacancy::test {

inline std::shared_ptr<const Scenario> scenario_of(const std::string& text) {
  return std::make_shared<const Scenario>(
      load_scenario_text(text, "test.json", test::source_dir(), {}));
}

/// The scenario, run to its end.
inline std::shared_ptr<const gui::Recording> record(const std::string& text) {
  gui::RecordedRun run(scenario_of(text));
  run.run();
  return run.recording();
}

inline std::shared_ptr<const Scenario> scenario_file(
    const std::string& name, const std::vector<std::string>& assignments = {}) {
  return std::make_shared<const Scenario>(load_scenario(
      test::source_dir().string() + "/scenarios/" + name, {assignments, std::nullopt}));
}

/// Some sequences in lockstep that are evicted from and compacted, in a pool that is not large.
inline std::string small_lockstep(const std::string& reclaim = "slide", std::uint64_t seed = 1) {
  return R"({"seed": )" + std::to_string(seed) + R"(, "model": "qwen3-8b",
    "cache": {"block_size": 8, "blocks": 200},
    "eviction": {"policy": "random", "scope": "model", "budget": 64, "interval": 16,
      "prompt": "evictable"},
    "reclaim": {"kind": ")" +
         reclaim + R"("},
    "workload": {"sequences": 6, "prompt_tokens": 70, "output_tokens": 150}})";
}

/// Sequences of which every head of every layer keeps its own tokens: decisions of 288 keep sets.
inline std::string many_sets(const std::string& reclaim) {
  return R"({"seed": 3, "model": "qwen3-8b", "cache": {"block_size": 16, "blocks": 400},
    "eviction": {"policy": "random", "scope": "per_layer_per_head", "budget": 256, "interval": 32,
      "prompt": "evictable"},
    "reclaim": {"kind": ")" +
         reclaim + R"("}, "quality": {"queries": 0},
    "workload": {"sequences": 2, "prompt_tokens": 300, "output_tokens": 1500}})";
}

/// Conversations under an engine, in a pool that is too small for all of them.
inline std::string small_serving(const std::string& profile, const std::string& more = "",
                                 std::uint32_t blocks = 600, std::uint32_t requests = 60) {
  return R"({"seed": 3, "model": "llama-3-8b", "device": "h100",
    "cache": {"block_size": 16, "blocks": )" +
         std::to_string(blocks) + R"(}, "engine": {"profile": ")" + profile + '"' +
         (profile.rfind("orca", 0) == 0 ? R"(, "max_sequence_tokens": 16384)" : "") + R"(},
    "serving": {"max_num_seqs": 16, "max_num_batched_tokens": 2048},
    "workload": {"source": "multi_turn", "multi_turn": {"requests": )" +
         std::to_string(requests) + R"(, "rate": 2}})" + more + "}";
}

/// A scenario of sequences in lockstep with everything drawn; null where the draw contradicts
/// itself.
inline std::shared_ptr<const Scenario> random_lockstep(std::mt19937& engine) {
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(engine() % n); };
  const auto of = [&](const std::vector<std::string>& words) {
    return words[below(static_cast<std::uint32_t>(words.size()))];
  };
  std::vector<std::string> kinds;
  for (const ReclaimerEntry& entry : reclaimers())
    kinds.push_back(entry.info.name);
  const std::string text =
      R"({"model": {"layers": 2, "query_heads": 2, "kv_heads": 2, "head_dim": 4, "rope_theta": 10000},
      "attention": {"source": "random"}, "eviction": {"policy": ")" +
      of({"random", "streaming_llm", "h2o", "knorm", "tova"}) + R"(", "budget": )" +
      std::to_string(4 + below(60)) + R"(}, "workload": {"output_tokens": )" +
      std::to_string(1 + below(90)) + "}}";
  const std::vector<std::string> changes = {
      "cache.block_size=" + of({"1", "2", "4", "8", "16"}),
      "cache.blocks=" + of({"\"unlimited\"", "40", "150", "900"}),
      "cache.table=" + of({"shared", "per_layer", "per_layer_per_head"}),
      "eviction.scope=" + of({"model", "per_layer", "per_head", "per_layer_per_head"}),
      "eviction.interval=" + std::to_string(1 + below(20)),
      "eviction.trigger=" + of({"interval", "slack", "allocation_failure"}),
      "eviction.prompt=" + of({"evictable", "pinned_inside", "pinned_outside"}),
      "reclaim.kind=" + of(kinds),
      "quality.queries=0",
      "workload.sequences=" + std::to_string(1 + below(4)),
      "workload.prompt_tokens=" + std::to_string(below(2) * below(40))};
  try {
    auto scenario = std::make_shared<const Scenario>(
        load_scenario_text(text, "random.json", ".", {changes, engine()}));
    build_config(*scenario);
    return scenario;
  } catch (const UserError&) {
    return nullptr;  // a budget that the pinned prompt fills, and other contradictions
  }
}

}  // namespace vacancy::test
