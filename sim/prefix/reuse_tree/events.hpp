// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <variant>

#include "sim/prefix/reuse_tree/priority_free_queues.hpp"
#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

/// A block's memory: an index into the pool of its level.
struct PoolOffset {
  Level level = Level::primary;
  std::uint32_t index = 0;

  bool operator==(const PoolOffset&) const = default;
};

// What happens to the blocks of one window size, in order. Contents, priorities and offsets of the
// blocks named can be read from the cache during the call. Whoever follows all events can rebuild
// the tree, the holders and where each block's memory lies (ours: the engine is silent when a leaf
// is made private, and about blocks outside the tree).

/// The block was free and now ends this sequence's table; what it held does not count any more.
struct BlockAllocated {
  SequenceId sequence;
  BlockId block;
};
/// The sequence takes `tokens` leading tokens of the block, which is shared, or was a free leaf and
/// is private now. `found_at`: where its memory lay.
struct BlockReused {
  SequenceId sequence;
  BlockId block;
  std::uint32_t tokens;
  Level found_at;
};
/// The first `tokens` tokens of one block were copied into a free one, which now ends the table.
/// Both are the same if the source had to make room itself.
struct BlockCopied {
  SequenceId sequence;
  BlockId from, to;
  std::uint32_t tokens;
};
/// The block is behind the sequence's window, which is about to let go of it.
struct BlockDetached {
  SequenceId sequence;
  BlockId block;
};
/// The sequence let go of the block, which nobody else holds: it is free.
struct BlockReleased {
  SequenceId sequence;
  BlockId block;
};
/// The block can be found under its parent, the tree's root or a block. KV events: BlockStored.
struct BlockStored {
  BlockId block, parent;
};
/// The block can no longer be found; it may still be held. KV events: BlockRemoved.
struct BlockRemoved {
  BlockId block;
};
/// The contents of `block` were copied from device memory to the host's, and the two blocks swapped
/// their memories. `stored`: it can be found there.
struct BlockOffloaded {
  BlockId block, other;
  PoolOffset from, to;
  bool stored;
};
/// The contents of `block` were copied back to device memory that was `other`'s.
struct BlockOnboarded {
  BlockId block, other;
  PoolOffset from, to;
};
/// A request asked for another priority of a block that it reuses.
struct PriorityUpdated {
  BlockId block;
  Priority before, after;
};

using Event =
    std::variant<BlockAllocated, BlockReused, BlockCopied, BlockDetached, BlockReleased,
                 BlockStored, BlockRemoved, BlockOffloaded, BlockOnboarded, PriorityUpdated>;

/// Hears the events of all window sizes; `window` is the index of one. Without an observer an event
/// costs a comparison.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_event(std::uint32_t window, const Event& event) = 0;
};

}  // namespace vacancy::reuse_tree
