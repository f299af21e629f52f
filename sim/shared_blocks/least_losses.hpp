// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/shared_blocks/block_trie.hpp"

namespace vacancy {

/// The least loss of freeing exactly k blocks of a trie, for every k up to a limit, and a set for
/// each. The children's losses are joined by (min, +)-convolution, and a subtree goes as a whole
/// instead; under ChainRule::unhash, it loses its hashes and its cheapest blocks.
///
/// Time and memory O(blocks · limit), but along a chain O(1) a block (under ChainRule::free).
class LeastLosses {
 public:
  LeastLosses(const BlockTrie& trie, std::uint32_t limit, ChainRule rule = ChainRule::free);

  /// For 0, 1, … blocks, up to the limit or the size of the trie.
  std::span<const Loss> losses() const { return losses_; }
  /// A set that reaches losses()[count]. Of several sets one in which a subtree goes as a whole
  /// only if that is needed, and which takes blocks from later children first.
  FreedBlocks set(std::uint32_t count) const;

 private:
  struct Node {
    /// splits[j]: of j blocks from this child and those after it, how many come from this one.
    /// Empty where it is the last child: all of them.
    std::vector<std::uint32_t> splits;
    std::vector<bool> whole;  // by count: the subtree goes as a whole; empty: never
  };
  void join(std::vector<Loss>& sum, std::vector<Loss> own, Node& node) const;
  void go_whole(std::uint32_t block, std::vector<Loss>& least);
  void free_cheapest(std::uint32_t block, std::uint32_t count, FreedBlocks& result) const;

  const BlockTrie& trie_;
  std::uint32_t limit_;
  ChainRule rule_;
  std::vector<std::uint32_t> ends_;
  std::vector<Node> nodes_;
  std::vector<Loss> losses_;
};

}  // namespace vacancy
