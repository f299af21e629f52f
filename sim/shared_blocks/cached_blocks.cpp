// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/cached_blocks.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

namespace {

/// Nodes that a table holds, and those before them.
std::vector<bool> pinned_nodes(std::span<const SharingNode> nodes) {
  std::vector<bool> pinned(nodes.size(), false);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (nodes[i].requests > 0)
      for (std::size_t at = i; at != no_sharing_parent && !pinned[at]; at = nodes[at].parent)
        pinned[at] = true;
  return pinned;
}

/// Adds the nodes that are not pinned in preorder; the place of each in the trie, else no_block.
std::vector<std::uint32_t> add_nodes(std::span<const SharingNode> nodes,
                                     const std::vector<bool>& pinned, BlockTrie& trie) {
  std::vector<std::vector<std::uint32_t>> children(nodes.size());
  std::vector<std::uint32_t> open;
  for (std::uint32_t i = static_cast<std::uint32_t>(nodes.size()); i-- > 0;) {
    if (pinned[i]) continue;
    const std::uint32_t parent = nodes[i].parent;
    const bool first = parent == no_sharing_parent || pinned[parent];
    (first ? open : children[parent]).push_back(i);
  }
  std::vector<std::uint32_t> place(nodes.size(), no_block);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    const std::uint32_t parent = nodes[node].parent;
    const std::uint32_t above = parent == no_sharing_parent ? no_block : place[parent];
    place[node] = trie.add(above, static_cast<Loss>(nodes[node].hits));
    open.insert(open.end(), children[node].begin(), children[node].end());
  }
  return place;
}

}  // namespace

CachedBlocks cached_blocks(std::span<const SharingNode> nodes, const KvCache& cache) {
  const BlockPool& pool = cache.pool();
  CachedBlocks result;
  const std::vector<std::uint32_t> place = add_nodes(nodes, pinned_nodes(nodes), result.trie);
  std::vector<std::uint32_t> block_place(pool.created(), no_block);
  std::size_t node = 0;
  for (std::uint32_t id = 0; id < pool.created(); ++id)
    if (pool.cached(BlockId(id))) block_place[id] = place[node++];
  VACANCY_ASSERT(node == nodes.size(), "a node for each cached block");

  pool.free_queue().for_each([&](BlockId block) {
    if (const std::uint32_t at = block_place[block.value()]; at != no_block)
      result.free_order.push_back(at);
  });
  if (!pool.pages()) return result;
  Pages pages(pool.created() / pool.pages()->blocks_per_page() + 1);
  for (std::uint32_t id = 0; id < pool.created(); ++id)
    if (block_place[id] != no_block)
      pages[pool.pages()->page(BlockId(id))].push_back(block_place[id]);
  // A page with another block of use does not come back.
  for (std::uint32_t page = 0; page < pages.size(); ++page)
    if (!pages[page].empty() && pages[page].size() == pool.pages()->blocks_of(page))
      result.pages.push_back(std::move(pages[page]));
  return result;
}

}  // namespace vacancy
