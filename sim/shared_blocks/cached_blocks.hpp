// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/pool/kv_cache.hpp"
#include "sim/pool/sharing_graph.hpp"
#include "sim/shared_blocks/freeing_graph.hpp"

namespace vacancy {

/// What a prefix cache could give up at one moment: the cached blocks that no table holds, and no
/// block below them. A block's loss: the admissions that found it.
struct CachedBlocks {
  BlockTrie trie;
  /// All of them, the next that the pool would allocate first.
  std::vector<std::uint32_t> free_order;
  Pages pages;  // device pages of nothing else; none where they are not counted
};

/// `nodes`: one for each block of the cache with cached contents, in the order of their ids
/// (HashChainManager::sharing).
CachedBlocks cached_blocks(std::span<const SharingNode> nodes, const KvCache& cache);

}  // namespace vacancy
