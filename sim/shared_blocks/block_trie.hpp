// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "sim/shared_blocks/price.hpp"

namespace vacancy {

inline constexpr std::uint32_t no_block = std::numeric_limits<std::uint32_t>::max();

/// Blocks of prefixes that requests share (spec block_aware §6). A block is of no use without the
/// one before it, so that all blocks below a freed one are freed with it. Blocks are numbered in
/// preorder: a block's descendants stand right behind it, and a subtree is a range.
struct BlockTrie {
  std::vector<std::uint32_t> parent;  // no_block for the first block of a prefix
  std::vector<Loss> loss;             // of freeing the block, over all its holders; not negative
  std::vector<Loss> reuse;            // of its being found no more, where it only loses its hash

  std::uint32_t size() const { return static_cast<std::uint32_t>(parent.size()); }
  /// Adds a block behind all others; its parent is the last one or one of that one's ancestors.
  std::uint32_t add(std::uint32_t parent_block, Loss own_loss = 0, Loss reuse_value = 0);
};

/// For each block the end of its subtree's range.
std::vector<std::uint32_t> subtree_ends(const BlockTrie& trie);

/// A request that holds the blocks from the first of a prefix to `last`.
struct BlockHolder {
  std::uint32_t last;
  std::vector<Loss> losses;  // of each of these blocks
  Loss touched = 0;          // once, whichever of them are freed
};

/// Adds what freeing costs this request. A freed block of its drags `last` with it, so that the
/// price of touching the request stands there.
void add_holder(BlockTrie& trie, const BlockHolder& holder);

/// Blocks of a trie that go, in ascending order, and what that costs.
struct FreedBlocks {
  std::vector<std::uint32_t> freed;
  std::vector<std::uint32_t> unhashed;  // under ChainRule::unhash: these lose their hash
  Loss loss = 0;

  bool operator==(const FreedBlocks&) const = default;
};

/// What happens below a freed block.
enum class ChainRule {
  free,    // all blocks are freed
  unhash,  // they and the block itself lose their hash, and their holders keep them
};

}  // namespace vacancy
