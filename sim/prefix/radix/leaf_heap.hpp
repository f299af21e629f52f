// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/prefix/radix/radix_policy.hpp"

namespace vacancy {

/// The evictable leaves, least eviction key first: a binary heap in which every node knows its
/// place, so that a leaf can leave, join or change its key in O(log n) between evictions.
class LeafHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  RadixNodeId top() const { return entries_.front().node; }
  bool contains(RadixNodeId node) const {
    return node.value() < places_.size() && places_[node.value()] != absent;
  }
  const EvictionKey& key(RadixNodeId node) const { return entries_[places_[node.value()]].key; }

  /// Adds the node, or changes its key.
  void set(RadixNodeId node, const EvictionKey& key);
  void erase(RadixNodeId node);

 private:
  static constexpr std::uint32_t absent = no_radix_node.value();
  struct Entry {
    EvictionKey key;
    RadixNodeId node;
  };

  void put(std::size_t place, const Entry& entry);
  /// Both move `entry` from an empty place to where it belongs.
  void rise(std::size_t place, const Entry& entry);
  void sink(std::size_t place, const Entry& entry);
  void settle(std::size_t place, const Entry& entry);

  std::vector<Entry> entries_;
  std::vector<std::uint32_t> places_;  // by node id
};

}  // namespace vacancy
