// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/subtree_choice.hpp"

#include <algorithm>

namespace vacancy {

FreedBlocks best_subtrees(const BlockTrie& trie, Price price, ChainRule rule) {
  const std::uint32_t blocks = trie.size();
  const auto freed_worth = [&](std::uint32_t block) { return value(1, trie.loss[block], price); };
  const auto worth = [&](std::uint32_t block) {
    if (rule == ChainRule::free) return freed_worth(block);
    return std::max<std::int64_t>(freed_worth(block), 0) + value(0, trie.reuse[block], price);
  };
  std::vector<std::int64_t> whole(blocks, 0), best(blocks, 0);
  std::vector<bool> taken(blocks, false);
  for (std::uint32_t block = blocks; block-- > 0;) {
    whole[block] += worth(block);
    // Where both are worth the same the smaller set stays.
    taken[block] = whole[block] > best[block];
    if (taken[block]) best[block] = whole[block];
    if (const std::uint32_t above = trie.parent[block]; above != no_block) {
      whole[above] += whole[block];
      best[above] += best[block];
    }
  }
  const std::vector<std::uint32_t> ends = subtree_ends(trie);
  FreedBlocks result;
  std::uint32_t end = 0;  // of the subtree that goes
  for (std::uint32_t block = 0; block < blocks; ++block) {
    if (taken[block]) end = std::max(end, ends[block]);
    if (block >= end) continue;
    if (rule == ChainRule::unhash) {
      result.unhashed.push_back(block);
      result.loss += trie.reuse[block];
      if (freed_worth(block) <= 0) continue;
    }
    result.freed.push_back(block);
    result.loss += trie.loss[block];
  }
  return result;
}

}  // namespace vacancy
