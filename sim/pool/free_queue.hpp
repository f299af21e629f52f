// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/units/units.hpp"

namespace vacancy {

/// The blocks that nobody references, next to be allocated first: a doubly linked list threaded
/// through arrays indexed by block id, so that any block can leave from the middle in O(1).
class FreeQueue {
 public:
  bool empty() const { return size_ == 0; }
  std::uint32_t size() const { return size_; }
  BlockId front() const { return BlockId(head_); }

  /// Makes room for ids below `blocks`; they are not in the queue yet.
  void grow(std::uint32_t blocks) { links_.resize(blocks); }

  void push_back(BlockId block) {
    link(block).next = none;
    link(block).previous = tail_;
    (tail_ == none ? head_ : links_[tail_].next) = block.value();
    tail_ = block.value();
    link(block).queued = true;
    ++size_;
  }

  void push_front(BlockId block) {
    link(block).previous = none;
    link(block).next = head_;
    (head_ == none ? tail_ : links_[head_].previous) = block.value();
    head_ = block.value();
    link(block).queued = true;
    ++size_;
  }

  void remove(BlockId block) {
    const Link gone = link(block);
    (gone.previous == none ? head_ : links_[gone.previous].next) = gone.next;
    (gone.next == none ? tail_ : links_[gone.next].previous) = gone.previous;
    link(block).queued = false;
    --size_;
  }

  BlockId pop_front() {
    const BlockId block = front();
    remove(block);
    return block;
  }

  bool contains(BlockId block) const { return links_[block.value()].queued; }

  template <class F>
  void for_each(F&& f) const {
    for (std::uint32_t id = head_; id != none; id = links_[id].next)
      f(BlockId(id));
  }

 private:
  static constexpr std::uint32_t none = null_block.value();
  struct Link {
    std::uint32_t previous = none, next = none;
    bool queued = false;
  };
  Link& link(BlockId block) { return links_[block.value()]; }

  std::vector<Link> links_;
  std::uint32_t head_ = none, tail_ = none;
  std::uint32_t size_ = 0;
};

}  // namespace vacancy
