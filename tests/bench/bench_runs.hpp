// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

namespace vacancy::bench {

/// Decoding sequences with a round every 128 tokens; about 5 events for 4 tokens.
inline std::string lockstep_text(std::uint64_t events, const std::string& scope,
                                 std::uint32_t blocks) {
  return R"({"seed": 1, "model": "qwen3-8b", "cache": {"block_size": 16, "blocks": )" +
         std::to_string(blocks) + R"(}, "eviction": {"policy": "random", "scope": ")" + scope +
         R"(", "budget": 2048, "interval": 128}, "reclaim": {"kind": "slide"},
    "quality": {"queries": 0}, "workload": {"sequences": 4, "prompt_tokens": 2000,
    "output_tokens": )" +
         std::to_string(events * 4 / 5 / 4) + "}}";
}

/// Conversations under vLLM with a prefix cache; some 500 events a request.
inline std::string serving_text(std::uint64_t events, std::uint32_t blocks) {
  return R"({"seed": 1, "model": "llama-3-8b", "device": "h100",
    "cache": {"block_size": 16, "blocks": )" +
         std::to_string(blocks) + R"(}, "engine": {"profile": "vllm-main-2026-08"},
    "serving": {"max_num_seqs": 128, "max_num_batched_tokens": 8192},
    "workload": {"source": "multi_turn", "multi_turn": {"rate": 0.7, "requests": )" +
         std::to_string(std::max<std::uint64_t>(events / 500, 1)) + "}}}";
}

}  // namespace vacancy::bench
