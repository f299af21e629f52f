// SPDX-License-Identifier: Apache-2.0
// RadixTree::check_invariants: every count, link and order computed anew from the nodes' segments.
#include <vector>

#include "sim/prefix/radix/radix_tree.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

void RadixTree::check_invariants() const {
  std::uint32_t nodes = 0;
  std::size_t leaves = 0;
  std::size_t host_leaves = 0;
  std::uint64_t unlocked = 0, locked = 0, shared = 0, saved = 0, on_host = 0;
  std::vector<RadixNodeId> open = {root()};
  while (!open.empty()) {
    const RadixNodeId id = open.back();
    open.pop_back();
    const RadixNode& above = node(id);
    std::uint64_t locks_below = 0;
    std::uint32_t device_children = 0;
    RadixNodeId previous = no_radix_node;
    for (RadixNodeId child = above.first_child; child != no_radix_node;
         previous = child, child = node(child).next_sibling) {
      const RadixNode& below = node(child);
      VACANCY_ASSERT(below.parent == id && below.previous_sibling == previous,
                     "a link between relatives is off");
      VACANCY_ASSERT(id == root() || below.name_space == above.name_space,
                     "a path leaves its namespace");
      VACANCY_ASSERT(
          !below.tokens.empty() && whole_pages(below.tokens.size()) == below.tokens.size(),
          "S2: a segment is one or more whole pages");
      VACANCY_ASSERT(below.on_device() || (below.on_host && below.slots.empty()),
                     "each cached token has a slot, or is on the host");
      VACANCY_ASSERT(!below.on_device() || above.on_device(),
                     "S14: what is above a node on the device is there too");
      device_children += below.on_device();
      VACANCY_ASSERT(find_child(id, below.name_space, below.tokens) == child,
                     "S1: a child is found by its first page, and by it alone");
      VACANCY_ASSERT(below.created <= clock_ && below.access <= clock_, "a time is in the future");
      locks_below += below.lock_ref;
      open.push_back(child);
    }
    VACANCY_ASSERT(above.last_child == previous, "the last child is off");
    VACANCY_ASSERT(above.device_children == device_children, "the children on the device are off");
    const bool is_leaf_to_evict = id != root() && evictable(above);
    VACANCY_ASSERT(leaves_.contains(id) == is_leaf_to_evict,
                   "S6: a node can be evicted exactly if it is a leaf without a lock");
    if (is_leaf_to_evict) {
      ++leaves;
      VACANCY_ASSERT(leaves_.key(id) == eviction_key(policy_, above),
                     "the place of a leaf in the order of eviction is out of date");
      VACANCY_ASSERT(leaves_.key(leaves_.top()) <= leaves_.key(id), "the heap's top is not least");
    }
    if (host_) {
      const bool may_go = evictable_from_host(id);
      VACANCY_ASSERT(host_->leaves().contains(id) == may_go,
                     "S14: the host gives up leaves that the device has given up");
      VACANCY_ASSERT(!may_go || host_->leaves().key(id) == eviction_key(policy_, above),
                     "the place of a leaf in the order of the host is out of date");
      host_leaves += may_go;
    }
    if (id == root()) continue;
    if (above.on_host) on_host += above.tokens.size();
    VACANCY_ASSERT(above.on_device() || above.lock_ref == 0, "what is locked is on the device");
    VACANCY_ASSERT(above.lock_ref >= locks_below, "S6: a lock below a node locks it too");
    ++nodes;
    if (above.on_device()) (above.lock_ref > 0 ? locked : unlocked) += above.tokens.size();
    if (above.lock_ref < 2) continue;
    shared += above.tokens.size();
    saved += above.tokens.size() * (above.lock_ref - std::uint64_t{1});
  }
  VACANCY_ASSERT(nodes == node_count_ && nodes + unused_.size() + 1 == nodes_.size(),
                 "a node is in the tree or in the pool");
  VACANCY_ASSERT(leaves == leaves_.size(), "the heap holds a node that is not in the tree");
  VACANCY_ASSERT(on_host == (host_ ? host_->used() : 0), "the tokens on the host are off");
  VACANCY_ASSERT(
      !host_ || (host_->used() <= host_->capacity() && host_->leaves().size() == host_leaves),
      "the host holds too much, or a node that is not in the tree");
  VACANCY_ASSERT(unlocked == evictable_tokens_ && locked == protected_tokens_,
                 "S6: evictable or protected tokens are off");
  VACANCY_ASSERT(shared == shared_tokens_ && saved == saved_tokens_,
                 "the counts of shared tokens are off");
}

}  // namespace vacancy
