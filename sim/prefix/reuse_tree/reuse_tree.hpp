// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/prefix/reuse_tree/contents.hpp"
#include "sim/units/units.hpp"

namespace vacancy::reuse_tree {

/// What a lookup of one block found.
struct Match {
  BlockId block = null_block;  // null_block: nothing
  std::uint32_t tokens = 0;    // leading tokens that agree
  bool whole = false;          // a full block with exactly these contents: it can be shared
};

/// A tree of blocks, one node a block, in which the path from the root is the prefix (spec engines
/// T1), and the contents of every block, in the tree or not. The root is a node without a block.
///
/// Invariants. A block in the tree holds tokens; blocks under one parent differ in contents; only
/// full blocks have children. A block's contents stay until they are set anew, also when it leaves
/// the tree or the sequence that wrote it ends: a block that decoding took keeps those of its
/// former life until it is stored (spec T7 asks whether a block "holds tokens" in this sense).
class ReuseTree {
 public:
  ReuseTree(std::uint32_t blocks, std::uint32_t block_size, ContentKind kind);

  /// Stands for the root wherever a parent is meant.
  BlockId root() const { return BlockId(static_cast<std::uint32_t>(nodes_.size() - 1)); }
  BlockContents contents(BlockId block) const;
  bool holds_tokens(BlockId block) const { return at(block).tokens > 0; }
  bool stored(BlockId block) const { return at(block).parent != null_block; }
  /// null_block if the block is not in the tree.
  BlockId parent(BlockId block) const { return at(block).parent; }
  bool leaf(BlockId block) const { return at(block).first_child == null_block; }
  /// How often the block left the tree: a place that was remembered is still good if this is
  /// unchanged.
  std::uint32_t removals(BlockId block) const { return at(block).removals; }
  std::uint32_t stored_blocks() const { return stored_; }

  /// The child with exactly these contents; null_block if there is none.
  BlockId find(BlockId parent, const BlockContents& contents) const;
  /// The child with exactly these contents, or else among those that `may_share(block)` admits the
  /// one that agrees in the most leading tokens, at least one. Ties go to the one stored first
  /// (ours: the engine's order is that of its hash table).
  template <class F>
  Match match(BlockId parent, const BlockContents& contents, bool partial, F&& may_share) const {
    if (contents.tokens == 0) return {};
    Match best{find(parent, contents), contents.tokens, contents.tokens == block_size_};
    if (best.block != null_block) return best;
    best = {};
    if (!partial) return best;
    for_each_child(parent, [&](BlockId child) {
      const std::uint32_t tokens = common_tokens(this->contents(child), contents);
      if (tokens > best.tokens && may_share(child)) best = {child, tokens, false};
    });
    return best;
  }

  /// For a block outside the tree.
  void set_contents(BlockId block, const BlockContents& contents);
  /// The block, not in the tree, becomes the last child of `parent`, which has no such child yet.
  void insert(BlockId block, BlockId parent, const BlockContents& contents);
  /// Takes a block without children out of the tree.
  void remove_leaf(BlockId block);
  /// Takes the block, if it is in the tree, and all below it out of the tree; f(block) before each
  /// leaves, children before parents, those stored first before their siblings.
  template <class F>
  void remove_subtree(BlockId block, F&& f) {
    if (!stored(block)) return;
    for (BlockId next = block;;) {
      while (!leaf(next))
        next = at(next).first_child;
      f(next);
      const BlockId above = parent(next);
      remove_leaf(next);
      if (next == block) return;
      next = above;
    }
  }
  /// f(block), in the order in which they were stored.
  template <class F>
  void for_each_child(BlockId parent, F&& f) const {
    for (BlockId child = at(parent).first_child; child != null_block; child = at(child).next)
      f(child);
  }

 private:
  struct Node {
    BlockId parent = null_block;
    BlockId first_child = null_block, last_child = null_block;
    BlockId previous = null_block, next = null_block;  // siblings
    BlockId bucket_next = null_block;
    std::uint32_t bucket = 0;
    std::uint32_t removals = 0;
    std::uint32_t tokens = 0;
    ContentSpace space;
    std::uint64_t extra = 0, key = 0;
  };
  Node& at(BlockId block) { return nodes_[block.value()]; }
  const Node& at(BlockId block) const { return nodes_[block.value()]; }
  std::uint32_t bucket_of(BlockId parent, const BlockContents& contents) const;

  std::uint32_t block_size_;
  std::vector<Node> nodes_;           // one a block, the root last
  std::vector<std::uint64_t> words_;  // ContentKind::tokens: block_size a block
  std::vector<BlockId> buckets_;      // (parent, contents) -> the first of a chain; a power of two
  std::uint32_t stored_ = 0;
};

}  // namespace vacancy::reuse_tree
