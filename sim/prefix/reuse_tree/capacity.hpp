// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "sim/prefix/reuse_tree/window_block_manager.hpp"

// Which requests run in the next step (spec engines T13): functions of views, which a scheduler
// composes with its own order, limits and states. Adapters' memory and beams are left out.

namespace vacancy::reuse_tree {

/// A full block of a prompt that is not in the tree: where it would hang, and what it would hold.
/// Two requests are about to create the same block exactly if these are equal (ours: the engine
/// leaves the cache salt out of this comparison).
struct NewContextBlock {
  BlockId parent;
  BlockContents contents;

  bool operator==(const NewContextBlock&) const = default;
};

enum class RequestPhase {
  waiting,     // nothing computed yet, no blocks
  prefilling,  // has its prompt's blocks, chunks are missing
  decoding,
};

struct CapacityRequest {
  RequestPhase phase = RequestPhase::waiting;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t new_tokens = 0;  // the most that will be generated
  std::uint32_t slots = 0;       // once decoding: tokens with room
  /// Blocks held in each window size; may be empty while waiting.
  std::span<const std::span<const BlockId>> held;
  /// Until the prompt is computed, for a cache of one window size.
  std::optional<NewContextBlock> new_block;
};

/// Indices of requests, each in the order given.
struct CapacityChoice {
  std::vector<std::uint32_t> scheduled;
  std::vector<std::uint32_t> paused;  // in the order in which they are to release their blocks
};

/// Blocks that a request will still take until its last token. Ours in sliding windows: a prompt
/// takes all its blocks at first, then a window and the block that slides (the engine caps the
/// prompt at the window and counts blocks that left it as still held).
std::uint32_t blocks_to_completion(const CapacityRequest& request, std::uint32_t window,
                                   const WindowBlockManager& manager);
/// Free blocks of a window size, less those that sharing in a sliding window hides: a request that
/// lets go of a block that another holds frees none, but takes one for it.
std::int64_t spare_blocks(const WindowBlockManager& manager);
/// Blocks that the next `steps` decode steps, or a waiting request's prompt, will take.
std::uint32_t blocks_for_steps(const CapacityRequest& request, const WindowBlockManager& manager,
                               std::uint32_t steps);

/// GUARANTEED_NO_EVICT: what decodes goes on, then others are admitted in order while all they will
/// ever need is free beside what those before them will need; the first that does not fit ends it.
/// A waiting request whose first new block a request before it is about to create is passed over,
/// to reuse it later. At most `most_requests` are scheduled.
CapacityChoice guaranteed_no_evict(std::span<const CapacityRequest> requests,
                                   std::span<const WindowBlockManager> windows,
                                   std::uint32_t most_requests);
/// STATIC_BATCH: the same, but others are admitted only when nothing decodes, and none is passed
/// over.
CapacityChoice static_batch(std::span<const CapacityRequest> requests,
                            std::span<const WindowBlockManager> windows,
                            std::uint32_t most_requests);
/// MAX_UTILIZATION: in order, each request that fits for the next `steps` steps. One that does not
/// makes the last started request behind it, or itself, pause until it fits. As in the engine,
/// reaching `most_requests` counts as not fitting, and a waiting request with a new block that made
/// another pause is then passed over: its own block counts as about to be created.
CapacityChoice max_utilization(std::span<const CapacityRequest> requests,
                               std::span<const WindowBlockManager> windows,
                               std::uint32_t most_requests, std::uint32_t steps = 1);

}  // namespace vacancy::reuse_tree
