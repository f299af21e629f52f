// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/least_losses.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace vacancy {

namespace {

constexpr Loss impossible = std::numeric_limits<Loss>::max();

}  // namespace

LeastLosses::LeastLosses(const BlockTrie& trie, std::uint32_t limit, ChainRule rule)
    : trie_(trie),
      limit_(std::min(limit, trie.size())),
      rule_(rule),
      ends_(subtree_ends(trie)),
      nodes_(trie.size()),
      losses_{0} {
  std::vector<std::vector<Loss>> least(trie.size());  // of the children seen so far
  for (std::uint32_t block = trie.size(); block-- > 0;) {
    if (least[block].empty()) least[block] = {0};
    go_whole(block, least[block]);
    const std::uint32_t above = trie.parent[block];
    join(above == no_block ? losses_ : least[above], std::exchange(least[block], {}),
         nodes_[block]);
  }
}

void LeastLosses::join(std::vector<Loss>& sum, std::vector<Loss> own, Node& node) const {
  if (sum.size() <= 1) {
    sum = std::move(own);
    return;
  }
  const std::size_t most = std::min<std::size_t>(sum.size() + own.size() - 2, limit_);
  std::vector<Loss> joined(most + 1, impossible);
  node.splits.resize(most + 1);
  for (std::uint32_t mine = 0; mine < own.size(); ++mine)
    for (std::size_t others = 0; others < sum.size() && mine + others <= most; ++others) {
      const Loss loss = own[mine] + sum[others];
      if (loss >= joined[mine + others]) continue;
      joined[mine + others] = loss;
      node.splits[mine + others] = mine;
    }
  sum = std::move(joined);
}

void LeastLosses::go_whole(std::uint32_t block, std::vector<Loss>& least) {
  const std::uint32_t size = ends_[block] - block;
  const auto first = trie_.loss.begin() + block, last = trie_.loss.begin() + ends_[block];
  if (rule_ == ChainRule::free) {
    // A set of all the subtree's blocks is the whole of it.
    if (size <= limit_) least.push_back(std::accumulate(first, last, Loss{0}));
    return;
  }
  const Loss hashes =
      std::accumulate(trie_.reuse.begin() + block, trie_.reuse.begin() + ends_[block], Loss{0});
  std::vector<Loss> cheapest(first, last);
  std::sort(cheapest.begin(), cheapest.end());
  least.resize(std::min(size, limit_) + 1, impossible);
  nodes_[block].whole.resize(least.size());
  Loss loss = hashes;
  for (std::uint32_t count = 0; count < least.size(); ++count) {
    if (count > 0) loss += cheapest[count - 1];
    if (loss >= least[count]) continue;
    least[count] = loss;
    nodes_[block].whole[count] = true;
  }
}

void LeastLosses::free_cheapest(std::uint32_t block, std::uint32_t count,
                                FreedBlocks& result) const {
  std::vector<std::uint32_t> blocks(ends_[block] - block);
  std::iota(blocks.begin(), blocks.end(), block);
  if (rule_ == ChainRule::unhash)
    result.unhashed.insert(result.unhashed.end(), blocks.begin(), blocks.end());
  std::stable_sort(blocks.begin(), blocks.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return trie_.loss[a] < trie_.loss[b]; });
  result.freed.insert(result.freed.end(), blocks.begin(), blocks.begin() + count);
}

FreedBlocks LeastLosses::set(std::uint32_t count) const {
  VACANCY_ASSERT(count < losses_.size(), "within the limit");
  FreedBlocks result;
  result.loss = losses_[count];
  // Children in ascending order: how many of the blocks that are left come from each.
  const auto share_out = [&](std::uint32_t child, std::uint32_t end, std::uint32_t left,
                             std::vector<std::pair<std::uint32_t, std::uint32_t>>& open) {
    for (; child < end && left > 0; child = ends_[child]) {
      const Node& node = nodes_[child];
      const std::uint32_t mine = node.splits.empty() ? left : node.splits[left];
      if (mine > 0) open.emplace_back(child, mine);
      left -= mine;
    }
  };
  std::vector<std::pair<std::uint32_t, std::uint32_t>> open;  // a block, how many of its subtree
  share_out(0, trie_.size(), count, open);
  while (!open.empty()) {
    const auto [block, wanted] = open.back();
    open.pop_back();
    const bool whole = rule_ == ChainRule::free ? wanted == ends_[block] - block
                                                : bool{nodes_[block].whole[wanted]};
    if (whole)
      free_cheapest(block, wanted, result);
    else
      share_out(block + 1, ends_[block], wanted, open);
  }
  std::sort(result.freed.begin(), result.freed.end());
  std::sort(result.unhashed.begin(), result.unhashed.end());
  return result;
}

}  // namespace vacancy
