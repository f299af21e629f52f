// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/block_trie.hpp"

#include <numeric>

namespace vacancy {

std::uint32_t BlockTrie::add(std::uint32_t parent_block, Loss own_loss, Loss reuse_value) {
  VACANCY_ASSERT(own_loss >= 0 && reuse_value >= 0, "freeing a block never pays by itself");
  std::uint32_t above = size() == 0 ? no_block : size() - 1;
  while (above != parent_block) {
    VACANCY_ASSERT(above != no_block, "blocks come in preorder");
    above = parent[above];
  }
  parent.push_back(parent_block);
  loss.push_back(own_loss);
  reuse.push_back(reuse_value);
  return size() - 1;
}

std::vector<std::uint32_t> subtree_ends(const BlockTrie& trie) {
  std::vector<std::uint32_t> ends(trie.size());
  std::iota(ends.begin(), ends.end(), 1u);
  for (std::uint32_t block = trie.size(); block-- > 0;)
    if (const std::uint32_t above = trie.parent[block];
        above != no_block && ends[above] < ends[block])
      ends[above] = ends[block];
  return ends;
}

void add_holder(BlockTrie& trie, const BlockHolder& holder) {
  trie.loss[holder.last] += holder.touched;
  std::uint32_t block = holder.last;
  for (std::size_t i = holder.losses.size(); i-- > 0; block = trie.parent[block]) {
    VACANCY_ASSERT(block != no_block && holder.losses[i] >= 0, "a loss for each block of the path");
    trie.loss[block] += holder.losses[i];
  }
  VACANCY_ASSERT(block == no_block, "a loss for each block of the path");
}

}  // namespace vacancy
