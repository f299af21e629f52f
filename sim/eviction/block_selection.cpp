// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "sim/eviction/block_choice.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

std::size_t open_forced_blocks(const EvictionRound& round, std::vector<std::uint64_t>& open) {
  const std::size_t blocks = table_blocks(round.slots, round.block_size), newest = blocks - 1;
  open.assign(bits::words(blocks), 0);
  bits::set(open, newest);
  std::uint32_t in_newest = 0;
  for (std::size_t i = 0; i < round.slots.size(); ++i) {
    const std::uint32_t block = round.slots[i] / round.block_size;
    in_newest += block == newest;
    if (bits::test(round.guarded, i)) bits::set(open, block);
  }
  // Beside the newest block as many full ones as the budget asks for: up to B - 1 tokens above it.
  const std::uint32_t rest = round.keep - std::min(round.keep, in_newest);
  return 1 + (std::size_t{rest} + round.block_size - 1) / round.block_size;
}

void keep_best_blocks(const EvictionRound& round, std::span<const double> scores, BlockValue value,
                      std::span<std::uint64_t> kept, SelectionScratch& scratch) {
  if (round.live.empty()) return;
  const WeighedTokens tokens{scores, round.slots, round.guarded, round.block_size};
  const std::size_t blocks = open_forced_blocks(round, scratch.keys);
  open_best_blocks(tokens, value, blocks, scratch.keys, scratch);
  keep_open_blocks(tokens, scratch.keys, kept);
}

}  // namespace vacancy
