// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/shared_blocks/block_trie.hpp"

namespace vacancy {

/// What maximum_closure() finds on a trie's graph, in O(blocks): what goes is a union of whole
/// subtrees, and a subtree goes if it is worth more than the best of the subtrees below its root.
/// Under ChainRule::unhash the same holds of hashes, where a block that has lost its hash is freed
/// if that pays.
FreedBlocks best_subtrees(const BlockTrie& trie, Price price, ChainRule rule = ChainRule::free);

}  // namespace vacancy
