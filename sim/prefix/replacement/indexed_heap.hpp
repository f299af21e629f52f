// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace vacancy {

/// A heap of ids, smallest key on top, from whose middle an id can leave or move. Keys must differ,
/// or the order of equal ones depends on history. Four children a node: half the levels, and the
/// children of a node share a cache line or two.
template <class Id, class Key>
class IndexedHeap {
 public:
  explicit IndexedHeap(std::uint32_t ids) : positions_(ids, absent) {}

  bool empty() const { return nodes_.empty(); }
  bool contains(Id id) const { return positions_[id.value()] != absent; }
  Id top() const { return nodes_.front().id; }
  const Key& top_key() const { return nodes_.front().key; }

  void push(Id id, const Key& key) {
    nodes_.push_back({key, id});
    rise(nodes_.size() - 1);
  }

  /// Gives an id in the heap another key.
  void update(Id id, const Key& key) {
    const std::size_t position = positions_[id.value()];
    nodes_[position].key = key;
    settle(position);
  }

  void remove(Id id) {
    const std::size_t position = positions_[id.value()];
    positions_[id.value()] = absent;
    const Node last = nodes_.back();
    nodes_.pop_back();
    if (position == nodes_.size()) return;
    nodes_[position] = last;
    settle(position);
  }

 private:
  static constexpr std::uint32_t absent = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t children = 4;
  struct Node {
    Key key;
    Id id;
  };

  void place(std::size_t position, const Node& node) {
    nodes_[position] = node;
    positions_[node.id.value()] = static_cast<std::uint32_t>(position);
  }

  void settle(std::size_t position) {
    if (position > 0 && nodes_[position].key < nodes_[(position - 1) / children].key)
      rise(position);
    else
      sink(position);
  }

  void rise(std::size_t position) {
    const Node node = nodes_[position];
    while (position > 0) {
      const std::size_t parent = (position - 1) / children;
      if (!(node.key < nodes_[parent].key)) break;
      place(position, nodes_[parent]);
      position = parent;
    }
    place(position, node);
  }

  void sink(std::size_t position) {
    const Node node = nodes_[position];
    for (;;) {
      const std::size_t first = position * children + 1;
      if (first >= nodes_.size()) break;
      const std::size_t end = std::min(first + children, nodes_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (nodes_[child].key < nodes_[least].key) least = child;
      if (!(nodes_[least].key < node.key)) break;
      place(position, nodes_[least]);
      position = least;
    }
    place(position, node);
  }

  std::vector<Node> nodes_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace vacancy
