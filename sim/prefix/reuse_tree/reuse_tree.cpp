// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/reuse_tree/reuse_tree.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "sim/units/error.hpp"

namespace vacancy::reuse_tree {

ReuseTree::ReuseTree(std::uint32_t blocks, std::uint32_t block_size, ContentKind kind)
    : block_size_(block_size),
      nodes_(std::size_t{blocks} + 1),
      words_(kind == ContentKind::tokens ? std::size_t{blocks} * block_size : 0),
      buckets_(std::bit_ceil(std::size_t{blocks} + 1), null_block) {}

BlockContents ReuseTree::contents(BlockId block) const {
  const Node& node = at(block);
  BlockContents contents{node.space, node.tokens, node.extra, node.key, {}};
  if (!words_.empty())
    contents.words = {words_.data() + std::size_t{block.value()} * block_size_, node.tokens};
  return contents;
}

std::uint32_t ReuseTree::bucket_of(BlockId parent, const BlockContents& contents) const {
  const std::uint64_t spread = (bucket_hash(contents) + parent.value()) * 0x9E3779B97F4A7C15;
  return static_cast<std::uint32_t>((spread >> 32) & (buckets_.size() - 1));
}

BlockId ReuseTree::find(BlockId parent, const BlockContents& contents) const {
  BlockId block = buckets_[bucket_of(parent, contents)];
  while (block != null_block && !(at(block).parent == parent && this->contents(block) == contents))
    block = at(block).bucket_next;
  return block;
}

void ReuseTree::set_contents(BlockId block, const BlockContents& contents) {
  VACANCY_ASSERT(!stored(block), "the contents of a block in the tree do not change");
  Node& node = at(block);
  node.space = contents.space;
  node.tokens = contents.tokens;
  node.extra = contents.extra;
  node.key = contents.key;
  std::copy(contents.words.begin(), contents.words.end(),
            words_.begin() + static_cast<std::ptrdiff_t>(words_.empty() ? 0 : block.value()) *
                                 static_cast<std::ptrdiff_t>(block_size_));
}

void ReuseTree::insert(BlockId block, BlockId parent, const BlockContents& contents) {
  VACANCY_ASSERT(contents.tokens > 0, "an empty block has nothing to be found by");
  VACANCY_ASSERT(parent == root() || (stored(parent) && at(parent).tokens == block_size_),
                 "a stored block continues a full block of the tree");
  set_contents(block, contents);
  Node& node = at(block);
  node.parent = parent;
  node.previous = at(parent).last_child;
  (node.previous == null_block ? at(parent).first_child : at(node.previous).next) = block;
  at(parent).last_child = block;
  node.bucket = bucket_of(parent, contents);
  node.bucket_next = buckets_[node.bucket];
  buckets_[node.bucket] = block;
  ++stored_;
}

void ReuseTree::remove_leaf(BlockId block) {
  Node& node = at(block);
  VACANCY_ASSERT(stored(block) && leaf(block), "a leaf of the tree is to leave");
  (node.previous == null_block ? at(node.parent).first_child : at(node.previous).next) = node.next;
  (node.next == null_block ? at(node.parent).last_child : at(node.next).previous) = node.previous;
  BlockId* link = &buckets_[node.bucket];
  while (*link != block)
    link = &at(*link).bucket_next;
  *link = node.bucket_next;
  node.parent = node.previous = node.next = node.bucket_next = null_block;
  ++node.removals;
  --stored_;
}

}  // namespace vacancy::reuse_tree
