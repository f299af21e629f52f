// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/leaf_heap.hpp"

namespace vacancy {

void LeafHeap::set(RadixNodeId node, const EvictionKey& key) {
  if (node.value() >= places_.size()) places_.resize(node.value() + std::size_t{1}, absent);
  if (!contains(node)) {
    entries_.push_back({});
    rise(entries_.size() - 1, {key, node});
  } else {
    settle(places_[node.value()], {key, node});
  }
}

void LeafHeap::erase(RadixNodeId node) {
  const std::size_t place = places_[node.value()];
  places_[node.value()] = absent;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (place < entries_.size()) settle(place, last);
}

void LeafHeap::put(std::size_t place, const Entry& entry) {
  entries_[place] = entry;
  places_[entry.node.value()] = static_cast<std::uint32_t>(place);
}

void LeafHeap::settle(std::size_t place, const Entry& entry) {
  if (place > 0 && entry.key < entries_[(place - 1) / 2].key)
    rise(place, entry);
  else
    sink(place, entry);
}

void LeafHeap::rise(std::size_t place, const Entry& entry) {
  while (place > 0) {
    const std::size_t parent = (place - 1) / 2;
    if (!(entry.key < entries_[parent].key)) break;
    put(place, entries_[parent]);
    place = parent;
  }
  put(place, entry);
}

void LeafHeap::sink(std::size_t place, const Entry& entry) {
  for (std::size_t child = 2 * place + 1; child < entries_.size(); child = 2 * place + 1) {
    if (child + 1 < entries_.size() && entries_[child + 1].key < entries_[child].key) ++child;
    if (!(entries_[child].key < entry.key)) break;
    put(place, entries_[child]);
    place = child;
  }
  put(place, entry);
}

}  // namespace vacancy
