// SPDX-License-Identifier: Apache-2.0
#include "sim/keep_sets/replay_memory.hpp"

#include "sim/pool/reclaim_plan.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

namespace {

/// What an allocation costs beyond its bytes.
constexpr std::uint64_t allocation = 16;
/// Vectors that grow have up to twice the room, of which one at a time is copied.
constexpr std::uint64_t growing = 2;
/// A large one is that one: what it is copied from stands beside it.
constexpr std::uint64_t growing_large = 3;

}  // namespace

Bytes history_memory(const KeepSetAxes& axes, std::uint32_t tokens) {
  // Masks of the step, of what is live and of the decision, which begins anew with each step.
  const std::uint64_t mask = bits::words(tokens) * sizeof(std::uint64_t);
  const std::uint64_t decision = 2 * sizeof(std::uint64_t);  // where a set's mask is
  return Bytes(axes.sets() * ((growing + growing + growing_large) * mask + decision));
}

Bytes replay_memory(const CacheConfig& cache, const ReclaimerEntry& reclaimer,
                    std::uint32_t tokens) {
  const std::uint64_t tables = cache.layout.tables(), sets = cache.layout.sets_per_table();
  const std::uint64_t entries = (tokens + cache.block_size - 1) / cache.block_size;
  const std::uint64_t mask = bits::words(tokens) * sizeof(std::uint64_t);
  // BlockTable: a live mask, a count and, unless slot i holds token i for ever, a token a slot.
  constexpr std::uint64_t set_object = 56;
  std::uint64_t of_set = set_object + 2 * allocation + growing * mask;
  // The plan: where a set's moves end; at most half of the tokens find a hole.
  const bool reorders = reclaimer.movement != Movement::none;
  if (reorders) of_set += growing * (sizeof(std::uint32_t) * tokens + sizeof(std::size_t));
  if (reclaimer.movement == Movement::in_place)
    of_set += growing_large * sizeof(SlotMove) * (tokens / 2);
  // BlockTable: block and live pairs an entry, and how many sets hold a token.
  constexpr std::uint64_t allocations = 10;  // of a table and its plan
  const std::uint64_t of_table = sizeof(BlockTable) + sizeof(TablePlan) + allocations * allocation +
                                 sets * of_set + growing * entries * 2 * sizeof(std::uint32_t) +
                                 (sets > 1 ? growing * tokens * sizeof(std::uint32_t) : 0);
  // BlockPool: counts of a block, its place in the free queue, and holders a slot.
  constexpr std::uint64_t block_object = 32;
  const std::uint64_t of_block = block_object + cache.block_size * sizeof(std::uint32_t);
  return Bytes(tables * of_table + growing_large * tables * entries * of_block);
}

}  // namespace vacancy
