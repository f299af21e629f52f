// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/child_table.hpp"

#include <algorithm>
#include <utility>

namespace vacancy {

void ChildTable::insert(std::uint64_t hash, RadixNodeId node) {
  if (size_ == buckets_.size()) grow();
  if (node.value() >= links_.size()) links_.resize(node.value() + std::size_t{1});
  links_[node.value()].hash = hash;
  push(node);
  ++size_;
}

void ChildTable::erase(RadixNodeId node) {
  RadixNodeId* at = &buckets_[bucket(links_[node.value()].hash)];
  while (*at != node)
    at = &links_[at->value()].next;
  *at = links_[node.value()].next;
  --size_;
}

void ChildTable::grow() {
  constexpr std::size_t smallest = 64;
  const auto old =
      std::exchange(buckets_, std::vector(std::max(smallest, 2 * buckets_.size()), no_radix_node));
  for (RadixNodeId head : old)
    for (RadixNodeId node = head; node != no_radix_node;) {
      const RadixNodeId next = links_[node.value()].next;
      push(node);
      node = next;
    }
}

}  // namespace vacancy
