// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy {

// The best that any choice of blocks and tokens can do, to hold the algorithms of block_choice.hpp
// against. Exact and slow: for tests and yardsticks on small tables.

/// The weights of each block's live tokens, in any order.
using BlockWeights = std::vector<std::vector<double>>;

/// A5 of spec block_aware §3: result[x] is the most weight that `held` blocks of `block_size` slots
/// can hold when at most x tokens move into them, x = 0 … `moves`. O(blocks · held · moves² · B).
std::vector<double> most_weight_by_moves(const BlockWeights& blocks, std::uint32_t block_size,
                                         std::uint32_t held, std::uint32_t moves);

/// P7 of spec block_aware §2: the most weight of at most `keep` tokens in at most `held` blocks,
/// none of which moves. O(blocks · held · keep · B).
double most_weight_of_tokens(const BlockWeights& blocks, std::uint32_t keep, std::uint32_t held);

}  // namespace vacancy
