// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace vacancy {

// Closed formulas that stand beside the simulation (spec policies §6). Survivors are chosen
// uniformly; tokens fill whole blocks.

struct EmptyBlocks {
  double mean = 0, standard_deviation = 0;
};
/// Number of blocks, among tokens / block, that are empty in all of `sets` independent sets (§6.2).
EmptyBlocks empty_blocks(std::uint64_t tokens, std::uint64_t kept, std::uint64_t block,
                         std::uint64_t sets = 1);

/// Slots pinned just after a round in the steady state without moves: each round adds `interval`
/// tokens and keeps `kept` of kept + interval at random, independently in `sets` sets that share
/// blocks of `block` slots; interval is a multiple of the block (§6.3).
double steady_state_pinned_slots(std::uint64_t kept, std::uint64_t interval, std::uint64_t block,
                                 std::uint64_t sets);

/// Blocks that compaction frees when a table shrinks from `before` to `after` tokens (E-40).
constexpr std::uint64_t blocks_freed_by_compaction(std::uint64_t before, std::uint64_t after,
                                                   std::uint64_t block) {
  return (before + block - 1) / block - (after + block - 1) / block;
}

/// What a request's compaction gives the pool where it touches shared blocks: its k survivors go to
/// blocks of its own, and only its u private blocks come back (§5.4). Negative: it costs blocks.
constexpr std::int64_t blocks_freed_by_copying_out(std::uint64_t survivors,
                                                   std::uint64_t private_blocks,
                                                   std::uint64_t block) {
  return static_cast<std::int64_t>(private_blocks) -
         static_cast<std::int64_t>((survivors + block - 1) / block);
}

}  // namespace vacancy
