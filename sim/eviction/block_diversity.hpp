// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/eviction/block_choice.hpp"

namespace vacancy {

// Adaptive R-KV of OpenVINO GenAI (cache_eviction.cpp, AdaptiveRKVBlockCalculator): blocks stay
// until they hold a share of what all are worth, and of the others those that are least alike.
// Blocks that are `apart` are open, and take no part. Ties fall to the lower block.

/// Opens the blocks of most weight until those that are not `apart` hold `share` of all their
/// weight, or until `count` are open in all.
void open_until_share(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                      double share, std::size_t count, std::span<std::uint64_t> open,
                      SelectionScratch& scratch);

/// Opens those closed blocks whose keys are least like the keys of closed blocks, until `count` are
/// open in all. A key is as alike to another as their cosine, the mean over the round's heads, 0
/// where that is below the key's mean cosine to all keys of blocks that are not `apart`. The time
/// grows with the square of their number.
void open_most_diverse(const EvictionRound& round, std::span<const std::uint64_t> apart,
                       std::size_t count, std::span<std::uint64_t> open, SelectionScratch& scratch);

}  // namespace vacancy
