// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

#include "gui/model/shared_pages.hpp"

namespace vacancy::gui {

/// The free queue: a list of block ids from which any can leave and to which one can come back to
/// where it was. Links are distances, so that stretches in the order of ids look alike wherever
/// they are, and share their memory. `writer` as of SharedPages.
class ReplicaQueue {
 public:
  static constexpr std::uint32_t none = UINT32_MAX;

  /// Blocks with ids below `blocks`, in this order.
  static ReplicaQueue of_all(std::uint32_t blocks, std::uint64_t writer) {
    ReplicaQueue queue;
    if (blocks == 0) return queue;
    const auto in_order = std::make_shared<Links>();
    in_order->next.fill(1);
    in_order->previous.fill(1);
    queue.links_.resize(blocks / Links::blocks, in_order);
    queue.resize(blocks);
    if (const std::uint32_t rest = blocks % Links::blocks; rest > 0) {
      Links& last = queue.own(blocks - 1, writer);
      std::fill_n(last.next.begin(), rest, 1);
      std::fill_n(last.previous.begin(), rest, 1);
    }
    queue.size_ = blocks;
    queue.head_ = 0;
    queue.tail_ = blocks - 1;
    return queue;
  }

  /// Blocks with ids below `blocks` exist; new ones are not in the queue.
  void resize(std::uint32_t blocks) {
    static const auto outside = std::make_shared<const Links>();
    links_.resize((std::size_t{blocks} + Links::blocks - 1) / Links::blocks, outside);
  }
  std::uint32_t size() const { return size_; }
  std::uint32_t front() const { return head_; }
  std::uint32_t back() const { return tail_; }
  std::uint32_t next(std::uint32_t block) const {
    return block == tail_ ? none : block + page(block).next[block % Links::blocks];
  }
  std::uint32_t previous(std::uint32_t block) const {
    return block == head_ ? none : block - page(block).previous[block % Links::blocks];
  }
  bool contains(std::uint32_t block) const { return page(block).next[block % Links::blocks] != 0; }

  /// Behind `before`; none: at the front.
  void insert_after(std::uint32_t before, std::uint32_t block, std::uint64_t writer) {
    const std::uint32_t after = before == none ? head_ : next(before);
    link(before, block, writer);
    link(block, after, writer);
    ++size_;
  }
  void remove(std::uint32_t block, std::uint64_t writer) {
    link(previous(block), next(block), writer);
    Links& links = own(block, writer);
    links.next[block % Links::blocks] = links.previous[block % Links::blocks] = 0;
    --size_;
  }
  /// Memory of links that another queue (null: none) has not.
  std::size_t bytes_beside(const ReplicaQueue* other) const {
    return links_.beside(other != nullptr ? &other->links_ : nullptr) * sizeof(Links);
  }

 private:
  /// From a block to the one behind it and from the one before it, modulo 2^32. 0: not in the
  /// queue; at the ends of the queue any other number.
  struct Links {
    static constexpr std::uint32_t blocks = 512;
    std::array<std::uint32_t, blocks> next{}, previous{};
  };

  const Links& page(std::uint32_t block) const { return links_[block / Links::blocks]; }
  Links& own(std::uint32_t block, std::uint64_t writer) {
    return links_.own(block / Links::blocks, writer);
  }
  /// Makes one the next of the other; none: an end of the queue.
  void link(std::uint32_t before, std::uint32_t after, std::uint64_t writer) {
    if (before == none) head_ = after;
    if (after == none) tail_ = before;
    const std::uint32_t distance = before == none || after == none ? 1 : after - before;
    if (before != none) own(before, writer).next[before % Links::blocks] = distance;
    if (after != none) own(after, writer).previous[after % Links::blocks] = distance;
  }

  SharedPages<Links> links_;
  std::uint32_t head_ = none, tail_ = none, size_ = 0;
};

}  // namespace vacancy::gui
