// SPDX-License-Identifier: Apache-2.0
// What a radix tree does with its host tier (spec engines S14).
#include "sim/prefix/radix/radix_tree.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

void RadixTree::restore(RadixNodeId id, SlotView slots) {
  at(id).slots.append(slots);
  evictable_tokens_ += slots.size();
  ++at(node(id).parent).device_children;
  update_leaf(node(id).parent);
  update_leaf(id);
}

void RadixTree::load_back(RadixNodeId last, SlotView slots) {
  host_->load(slots.size());
  std::uint32_t end = slots.size();
  for (RadixNodeId id = last; !node(id).on_device(); id = node(id).parent) {
    const std::uint32_t begin = end - node(id).tokens.size();
    restore(id, slots.slice(begin, end));
    end = begin;
  }
  VACANCY_ASSERT(end == 0, "a prefix is loaded back whole");
}

void RadixTree::copy_to_host(RadixNodeId id) {
  const std::uint32_t tokens = node(id).tokens.size();
  if (node(id).on_host || tokens > host_->capacity()) return;
  if (!host_->has_room(tokens)) evict_host(tokens);
  if (!host_->has_room(tokens)) return;
  at(id).on_host = true;
  host_->write(tokens);
}

void RadixTree::copy_path_to_host(RadixNodeId last) {
  due_.clear();
  for (RadixNodeId id = last; id != root(); id = node(id).parent)
    if (!node(id).on_host && host_->copies_at(node(id).hit_count)) due_.push_back(id);
  for (; !due_.empty(); due_.pop_back())
    copy_to_host(due_.back());
}

void RadixTree::evict_host(std::uint64_t tokens) {
  LeafHeap& leaves = host_->leaves();
  for (std::uint64_t evicted = 0; evicted < tokens && !leaves.empty();) {
    const RadixNodeId leaf = leaves.top();
    const RadixNodeId parent = node(leaf).parent;
    evicted += node(leaf).tokens.size();
    destroy_leaf(leaf);
    update_leaf(parent);
  }
}

void RadixTree::destroy_host_nodes_below(RadixNodeId top) {
  for (RadixNodeId id = top; id != top || !node(top).is_leaf();) {
    if (!node(id).is_leaf()) {
      id = node(id).first_child;
      continue;
    }
    const RadixNodeId parent = node(id).parent;
    destroy_leaf(id);
    id = parent;
  }
}

void RadixTree::hold_on_host(RadixNodeId id) {
  const RadixNodeId before = held_;
  held_ = id;
  if (before != no_radix_node) update_leaf(before);
  if (id != no_radix_node) update_leaf(id);
}

}  // namespace vacancy
