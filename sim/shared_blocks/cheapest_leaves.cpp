// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/cheapest_leaves.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace vacancy {

void free_cheapest_leaves(const BlockTrie& trie, std::uint32_t count, FreedBlocks& freed) {
  std::vector<bool> gone(trie.size(), false);
  for (const std::uint32_t block : freed.freed)
    gone[block] = true;
  std::vector<std::uint32_t> children(trie.size(), 0);
  for (std::uint32_t block = 0; block < trie.size(); ++block)
    if (!gone[block] && trie.parent[block] != no_block) ++children[trie.parent[block]];
  using Leaf = std::pair<Loss, std::uint32_t>;
  std::priority_queue<Leaf, std::vector<Leaf>, std::greater<>> leaves;
  for (std::uint32_t block = 0; block < trie.size(); ++block)
    if (!gone[block] && children[block] == 0) leaves.emplace(trie.loss[block], block);
  for (; count > 0 && !leaves.empty(); --count) {
    const auto [loss, block] = leaves.top();
    leaves.pop();
    freed.freed.push_back(block);
    freed.loss += loss;
    if (const std::uint32_t above = trie.parent[block]; above != no_block && --children[above] == 0)
      leaves.emplace(trie.loss[above], above);
  }
  std::sort(freed.freed.begin(), freed.freed.end());
}

FreedBlocks cheapest_leaves(const BlockTrie& trie, std::uint32_t count) {
  FreedBlocks result;
  free_cheapest_leaves(trie, count, result);
  return result;
}

}  // namespace vacancy
