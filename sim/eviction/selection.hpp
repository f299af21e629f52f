// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"

namespace vacancy {

// What all policies share between scores and a keep set. Bit i of a mask stands for live token i;
// `kept` is all zero on entry. Guarded bits always stay and count in `keep`, of which they must not
// be more. Ties fall to the lower bit. Nothing is allocated once the scratch has grown.

/// Keeps the guarded tokens and the best others, `keep` in all. A score that is not a number is a
/// bug. Linear expected time.
void keep_best(std::span<const double> scores, std::span<const std::uint64_t> guarded,
               std::uint32_t keep, std::span<std::uint64_t> kept, SelectionScratch& scratch);

/// The same for uniform 32-bit draws, whose distribution tells beforehand about where the cut lies:
/// only the few draws near it are looked at twice.
void keep_best_draws(std::span<const std::uint32_t> draws, std::span<const std::uint64_t> guarded,
                     std::uint32_t keep, std::span<std::uint64_t> kept, SelectionScratch& scratch);

/// Opens the blocks that stay whatever the scores: the newest one, and those that hold a guarded
/// token. Returns how many blocks the budget asks for, these included.
std::size_t open_forced_blocks(const EvictionRound& round, std::vector<std::uint64_t>& open);

/// Keeps whole blocks, ceil(round.keep / B) in all (A1 of spec block_aware §3, open_best_blocks).
/// Keeps up to B - 1 tokens more than `round.keep`, and further blocks where guarded tokens stand
/// in more than that many.
void keep_best_blocks(const EvictionRound& round, std::span<const double> scores, BlockValue value,
                      std::span<std::uint64_t> kept, SelectionScratch& scratch);

/// Sets the bits of live tokens that must stay: a pinned prompt, the first `sinks` positions, the
/// last `recent` positions before `next_position`. Returns how many.
std::uint32_t guard_tokens(std::span<const std::uint32_t> live, std::uint32_t next_position,
                           std::uint32_t pinned_prompt, Protection protection,
                           std::span<std::uint64_t> guarded);

/// The scores of the round's live tokens: those that it brings along, or else the policy's, in
/// scratch.scores.
std::span<const double> scores_of(const EvictionPolicy& policy, const EvictionRound& round,
                                  SelectionScratch& scratch);

/// Scores at a scope coarser than the method's own: the scores of the joined (layer, KV head) sets
/// are summed (contract §2), in ascending order. `add(layer, kv_head, scores)` adds one set's.
template <class Add>
void sum_joined_heads(const EvictionRound& round, std::span<double> scores, Add&& add) {
  std::fill(scores.begin(), scores.end(), 0.0);
  const HeadRange heads = round.heads();
  for (std::uint32_t layer = heads.first_layer; layer < heads.last_layer; ++layer)
    for (std::uint32_t head = heads.first_head; head < heads.last_head; ++head)
      add(layer, head, scores);
}

}  // namespace vacancy
