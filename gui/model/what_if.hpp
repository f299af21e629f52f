// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gui/model/replica.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/scenario/scenario.hpp"

namespace vacancy::gui {

/// What a reclaimer would do to a sequence now: a preview, nothing is changed.
struct ReclaimPreview {
  std::string reclaimer;  // registered name
  bool possible = true;   // it is not refused, and the blocks that it takes are free
  std::uint64_t moved_set_tokens = 0, copied_set_tokens = 0;  // the latter to unshare blocks
  std::uint64_t bytes_moved = 0;                              // read and written, copies included
  std::uint64_t blocks_taken = 0;
  std::vector<std::uint32_t> freed;  // blocks that come back, ascending
  /// A token of a set from a slot to another one, to be drawn.
  struct Move {
    std::uint32_t from_block, from_offset, to_block, to_offset;
  };
  std::vector<Move> moves;  // the first max_moves
  std::string sentence;     // "fullest_blocks would move 3 tokens and free 3 blocks (…)."
  static constexpr std::size_t max_moves = 400;

  std::int64_t net_blocks() const {
    return static_cast<std::int64_t>(freed.size()) - static_cast<std::int64_t>(blocks_taken);
  }
};

/// A reclaimer's values where nobody gave any.
ParameterValues default_values(const EntryInfo& info);
/// The scenario's rules for whoever asks: it moves tokens whether that pays or not.
ReclaimRules preview_rules(const Scenario& scenario);

/// The sequence as the simulator's own classes hold it, for whoever asks a policy or a reclaimer.
CachedSequence cached_sequence(const Replica& replica, std::uint32_t sequence);
/// The pool likewise: references, holders, cached contents and the order of the free queue.
BlockPool block_pool(const Replica& replica);

/// Each registered reclaimer with its defaults and the scenario's rules, in the registry's order.
/// Empty if the sequence is not in the cache, or the cache has no block tables of the simulator's
/// own kind (TensorRT-LLM, engines before paging): nothing is evicted from those.
std::vector<ReclaimPreview> what_if(const Replica& replica, std::uint32_t sequence,
                                    const Scenario& scenario);

}  // namespace vacancy::gui
