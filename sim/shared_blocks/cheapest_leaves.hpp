// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/shared_blocks/block_trie.hpp"

namespace vacancy {

/// Frees `count` blocks as a greedy cache would: each time the leaf with the least loss, of equal
/// ones the first. Optimal where no block costs less than one below it, as with counts of uses;
/// not where a cheap block hides behind a dear one. O(blocks + count · log blocks).
FreedBlocks cheapest_leaves(const BlockTrie& trie, std::uint32_t count);

/// The same after other blocks are gone: `freed` gets `count` more.
void free_cheapest_leaves(const BlockTrie& trie, std::uint32_t count, FreedBlocks& freed);

}  // namespace vacancy
