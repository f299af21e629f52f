// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/prefix/radix/radix_node.hpp"

namespace vacancy {

/// Finds children of all nodes by a hash of (parent, namespace, first page): chains threaded
/// through arrays indexed by node id. The caller compares what it finds, so a collision costs time
/// only, and nothing depends on the order of a chain.
class ChildTable {
 public:
  void insert(std::uint64_t hash, RadixNodeId node);
  void erase(RadixNodeId node);

  /// The node with this hash that `matches`, or no_radix_node.
  template <class Matches>
  RadixNodeId find(std::uint64_t hash, Matches&& matches) const {
    if (buckets_.empty()) return no_radix_node;
    for (RadixNodeId node = buckets_[bucket(hash)]; node != no_radix_node;
         node = links_[node.value()].next)
      if (links_[node.value()].hash == hash && matches(node)) return node;
    return no_radix_node;
  }

 private:
  struct Link {
    std::uint64_t hash = 0;
    RadixNodeId next = no_radix_node;
  };
  std::size_t bucket(std::uint64_t hash) const { return hash & (buckets_.size() - 1); }
  void push(RadixNodeId node) {
    RadixNodeId& head = buckets_[bucket(links_[node.value()].hash)];
    links_[node.value()].next = head;
    head = node;
  }
  void grow();

  std::vector<RadixNodeId> buckets_;  // a power of two of them
  std::vector<Link> links_;           // by node id
  std::size_t size_ = 0;
};

}  // namespace vacancy
