// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

namespace vacancy::gui {

/// The free queue: a list of block ids from which any can leave and to which one can come back to
/// where it was.
class ReplicaQueue {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Blocks with ids below `blocks` exist; new ones are not in the queue.
  void resize(std::uint32_t blocks) {
    next_.resize(blocks, none);
    previous_.resize(blocks, none);
    queued_.resize(blocks, 0);
  }
  std::uint32_t size() const { return size_; }
  std::uint32_t front() const { return head_; }
  std::uint32_t back() const { return tail_; }
  std::uint32_t next(std::uint32_t block) const { return next_[block]; }
  std::uint32_t previous(std::uint32_t block) const { return previous_[block]; }
  bool contains(std::uint32_t block) const { return queued_[block] != 0; }

  /// Behind `before`; none: at the front.
  void insert_after(std::uint32_t before, std::uint32_t block) {
    const std::uint32_t after = before == none ? head_ : next_[before];
    previous_[block] = before;
    next_[block] = after;
    (before == none ? head_ : next_[before]) = block;
    (after == none ? tail_ : previous_[after]) = block;
    queued_[block] = 1;
    ++size_;
  }
  void remove(std::uint32_t block) {
    const std::uint32_t before = previous_[block], after = next_[block];
    (before == none ? head_ : next_[before]) = after;
    (after == none ? tail_ : previous_[after]) = before;
    previous_[block] = next_[block] = none;
    queued_[block] = 0;
    --size_;
  }

 private:
  std::vector<std::uint32_t> next_, previous_;
  std::vector<std::uint8_t> queued_;
  std::uint32_t head_ = none, tail_ = none, size_ = 0;
};

}  // namespace vacancy::gui
