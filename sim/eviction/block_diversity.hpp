// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sim/eviction/block_choice.hpp"

namespace vacancy {

// Adaptive R-KV of OpenVINO: blocks stay until they hold a share of what all are worth, and of the
// others those that are least alike (openvino.genai cache_eviction.cpp, AdaptiveRKVBlockCalculator;
// openvino adaptive_rkv_diversity.hpp). Blocks that are `apart` are open and take no part. Ties
// fall to the lower block.

/// Opens the blocks of most weight until those that are not `apart` hold `share` of all their
/// weight, or until `count` are open in all. Takes `parts` and `order` of the scratch.
void open_until_share(const WeighedTokens& tokens, std::span<const std::uint64_t> apart,
                      double share, std::size_t count, std::span<std::uint64_t> open,
                      SelectionScratch& scratch);

/// Opens those closed blocks whose keys are least like keys of closed blocks, until `count` are
/// open in all. In each head the cosine of two keys counts 0 where it is below the first one's mean
/// cosine to all keys that take part, its own being 0; the heads of the round's layers are summed.
/// A block with holes sums fewer. The time grows with the square of the tokens in closed blocks.
/// Takes `parts`, `order`, `rows` and `vectors` of the scratch.
void open_most_diverse(const EvictionRound& round, std::span<const std::uint64_t> apart,
                       std::size_t count, std::span<std::uint64_t> open, SelectionScratch& scratch);

}  // namespace vacancy
