// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/serving/vllm/hash_chain_manager.hpp"

namespace vacancy {

// Vacancy's state in the engine's own numbers: vLLM counts blocks from 1, and block 0 is its null
// block.

inline std::uint32_t engine_id(BlockId block) {
  return block == null_block ? 0 : block.value() + 1;
}
std::vector<std::uint32_t> engine_free_queue(const HashChainManager& manager);
/// Sorted ids of the blocks that have a hash.
std::vector<std::uint32_t> engine_cached(const HashChainManager& manager);

/// The choices that all cases of vLLM name: profile, block size, pool, gate, watermark.
HashChainOptions vllm_options(const nlohmann::json& c);

}  // namespace vacancy
