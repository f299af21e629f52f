// SPDX-License-Identifier: Apache-2.0
#include "sim/prefix/radix/radix_tree.hpp"

#include <algorithm>

#include "sim/units/error.hpp"

namespace vacancy {
namespace {

/// Spreads one more word over the hash: the finaliser of splitmix64 (Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", OOPSLA 2014).
std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  hash = (hash ^ word) + 0x9E3779B97F4A7C15;
  hash = (hash ^ (hash >> 30)) * 0xBF58476D1CE4E5B9;
  hash = (hash ^ (hash >> 27)) * 0x94D049BB133111EB;
  return hash ^ (hash >> 31);
}

}  // namespace

RadixTree::RadixTree(std::uint32_t page_size, RadixPolicy policy, const HostTierOptions& host)
    : page_size_(page_size), policy_(policy) {
  VACANCY_ASSERT(page_size > 0, "a page has tokens");
  if (host.pages > 0) host_.emplace(host, page_size);
  const RadixNodeId made = create_node();
  VACANCY_ASSERT(made == root(), "the root is the first node");
  at(root()).lock_ref = 1;
  node_count_ = 0;
}

RadixNodeId RadixTree::create_node() {
  RadixNodeId id(static_cast<std::uint32_t>(nodes_.size()));
  if (unused_.empty()) {
    nodes_.emplace_back();
  } else {
    id = unused_.back();
    unused_.pop_back();
  }
  RadixNode& node = at(id);
  node.access = read_clock();
  node.created = read_clock();
  ++node_count_;
  return id;
}

void RadixTree::destroy_leaf(RadixNodeId id) {
  if (node(id).on_host) host_->drop(node(id).tokens.size());
  if (host_ && host_->leaves().contains(id)) host_->leaves().erase(id);
  remove_child(id);
  RadixNode& node = at(id);
  RadixNode blank;
  blank.tokens = std::move(node.tokens);
  blank.slots = std::move(node.slots);
  blank.tokens.recycle();
  blank.slots.recycle();
  node = std::move(blank);
  unused_.push_back(id);
  --node_count_;
}

std::uint64_t RadixTree::child_hash(RadixNodeId parent, NamespaceId name_space,
                                    TokenView key) const {
  std::uint64_t hash = mix(parent.value(), name_space.value());
  key.prefix(page_size_).for_each([&](const TokenRun& run) {
    hash = mix(mix(hash, run.content), std::uint64_t{run.first} << 32 | run.count);
  });
  return hash;
}

RadixNodeId RadixTree::find_child(RadixNodeId parent, NamespaceId name_space, TokenView key) const {
  const TokenView page = key.prefix(page_size_);
  return children_.find(child_hash(parent, name_space, key), [&](RadixNodeId id) {
    const RadixNode& child = node(id);
    return child.parent == parent && child.name_space == name_space &&
           common_prefix(child.tokens, page) == page_size_;
  });
}

void RadixTree::append_child(RadixNodeId parent, RadixNodeId child) {
  RadixNode& above = at(parent);
  RadixNode& node = at(child);
  node.parent = parent;
  node.previous_sibling = above.last_child;
  (above.last_child == no_radix_node ? above.first_child : at(above.last_child).next_sibling) =
      child;
  above.last_child = child;
  above.device_children += node.on_device();
  children_.insert(child_hash(parent, node.name_space, node.tokens), child);
}

void RadixTree::remove_child(RadixNodeId child) {
  const RadixNode& node = at(child);
  RadixNode& above = at(node.parent);
  (node.previous_sibling == no_radix_node ? above.first_child
                                          : at(node.previous_sibling).next_sibling) =
      node.next_sibling;
  (node.next_sibling == no_radix_node ? above.last_child : at(node.next_sibling).previous_sibling) =
      node.previous_sibling;
  above.device_children -= node.on_device();
  children_.erase(child);
}

void RadixTree::replace_child(RadixNodeId child, RadixNodeId replacement) {
  RadixNode& gone = at(child);
  RadixNode& node = at(replacement);
  RadixNode& above = at(gone.parent);
  node.parent = gone.parent;
  node.previous_sibling = gone.previous_sibling;
  node.next_sibling = gone.next_sibling;
  (gone.previous_sibling == no_radix_node ? above.first_child
                                          : at(gone.previous_sibling).next_sibling) = replacement;
  (gone.next_sibling == no_radix_node ? above.last_child : at(gone.next_sibling).previous_sibling) =
      replacement;
  gone.previous_sibling = gone.next_sibling = no_radix_node;
  children_.insert(child_hash(gone.parent, gone.name_space, gone.tokens), replacement);
  children_.erase(child);
}

RadixNodeId RadixTree::split(RadixNodeId lower, std::uint32_t head) {
  const RadixNodeId upper = create_node();
  RadixNode& below = at(lower);
  RadixNode& above = at(upper);
  above.name_space = below.name_space;
  above.priority = below.priority;
  above.hit_count = below.hit_count;
  above.found = below.found;
  above.lock_ref = below.lock_ref;
  above.on_host = below.on_host;
  const bool on_device = below.on_device();
  above.tokens.append(below.tokens.view().prefix(head));
  if (on_device) above.slots.append(below.slots.view().prefix(head));
  replace_child(lower, upper);
  below.tokens.erase_front(head);
  if (on_device) below.slots.erase_front(head);
  append_child(upper, lower);
  return upper;
}

RadixMatch RadixTree::match(NamespaceId name_space, TokenView key, SlotRuns* slots) {
  RadixMatch found{root()};
  key = key.prefix(whole_pages(key.size()));
  if (key.empty()) return found;
  const std::uint64_t time = read_clock();
  at(root()).access = time;
  while (!key.empty()) {
    const RadixNodeId child = find_child(found.last, name_space, key);
    if (child == no_radix_node) break;
    at(child).access = time;
    update_leaf(child);
    const std::uint32_t length = node(child).tokens.size();
    const std::uint32_t common = whole_pages(common_prefix(node(child).tokens, key));
    found.last = common < length ? split(child, common) : child;
    if (node(found.last).on_device()) {
      found.node = found.last;
      found.tokens += common;
      if (slots != nullptr) slots->append(node(found.node).slots);
    } else {
      found.host_tokens += common;
    }
    if (common < length) break;
    key.drop_front(common);
  }
  return found;
}

std::uint32_t RadixTree::insert(NamespaceId name_space, TokenView key, SlotView slots,
                                const Insertion& insertion) {
  const std::uint64_t time = read_clock();
  const auto visit = [&](RadixNodeId id) {
    RadixNode& node = at(id);
    node.priority = std::max(node.priority, insertion.priority);
    if (!insertion.chunked) ++node.hit_count;
  };
  at(root()).access = time;
  at(root()).priority = std::max(at(root()).priority, insertion.priority);
  key = key.prefix(whole_pages(key.size()));
  slots = slots.prefix(key.size());
  std::uint32_t matched = 0;
  RadixNodeId at_node = root();
  while (!key.empty()) {
    const RadixNodeId child = find_child(at_node, name_space, key);
    if (child == no_radix_node) break;
    at(child).access = time;
    const std::uint32_t length = node(child).tokens.size();
    const std::uint32_t common = whole_pages(common_prefix(node(child).tokens, key));
    at_node = common < length ? split(child, common) : child;
    if (node(at_node).on_device())
      matched += common;
    else
      restore(at_node, slots.prefix(common));
    visit(at_node);
    update_leaf(at_node);
    if (child != at_node) update_leaf(child);
    key.drop_front(common);
    slots.drop_front(common);
  }
  if (!key.empty()) at_node = append_leaf(at_node, name_space, key, slots, insertion);
  if (host_ && !insertion.chunked) copy_path_to_host(at_node);
  return matched;
}

RadixNodeId RadixTree::append_leaf(RadixNodeId above, NamespaceId name_space, TokenView key,
                                   SlotView slots, const Insertion& insertion) {
  const RadixNodeId leaf = create_node();
  RadixNode& node = at(leaf);
  node.name_space = name_space;
  node.tokens.append(key);
  node.slots.append(slots);
  node.priority = insertion.priority;
  if (!insertion.chunked) ++node.hit_count;
  append_child(above, leaf);
  evictable_tokens_ += key.size();
  update_leaf(above);
  update_leaf(leaf);
  return leaf;
}

void RadixTree::update_leaf(RadixNodeId id) {
  if (id != root() && evictable(node(id)))
    leaves_.set(id, eviction_key(policy_, node(id)));
  else if (leaves_.contains(id))
    leaves_.erase(id);
  if (!host_) return;
  if (evictable_from_host(id))
    host_->leaves().set(id, eviction_key(policy_, node(id)));
  else if (host_->leaves().contains(id))
    host_->leaves().erase(id);
}

void RadixTree::lock(RadixNodeId id) {
  for (; id != root(); id = node(id).parent) {
    if (const std::uint32_t before = at(id).lock_ref++; before > 0) {
      saved_tokens_ += node(id).tokens.size();
      if (before == 1) shared_tokens_ += node(id).tokens.size();
      continue;
    }
    evictable_tokens_ -= node(id).tokens.size();
    protected_tokens_ += node(id).tokens.size();
    update_leaf(id);
  }
}

void RadixTree::unlock(RadixNodeId id) {
  for (; id != root(); id = node(id).parent) {
    VACANCY_ASSERT(node(id).lock_ref > 0, "a node is unlocked as often as it was locked");
    if (--at(id).lock_ref > 0) {
      saved_tokens_ -= node(id).tokens.size();
      if (node(id).lock_ref == 1) shared_tokens_ -= node(id).tokens.size();
      continue;
    }
    evictable_tokens_ += node(id).tokens.size();
    protected_tokens_ -= node(id).tokens.size();
    update_leaf(id);
  }
}

void RadixTree::count_found(RadixNodeId id) {
  for (; id != root(); id = node(id).parent)
    ++at(id).found;
}

std::uint64_t RadixTree::evict(std::uint64_t tokens, SlotAllocator& allocator) {
  std::uint64_t evicted = 0;
  while (evicted < tokens && !leaves_.empty()) {
    const RadixNodeId leaf = leaves_.top();
    if (host_ && host_->copies_on_eviction()) copy_to_host(leaf);
    const RadixNodeId parent = node(leaf).parent;
    leaves_.erase(leaf);
    allocator.give_back(node(leaf).slots);
    evicted += node(leaf).tokens.size();
    evictable_tokens_ -= node(leaf).tokens.size();
    if (node(leaf).on_host) {
      at(leaf).slots.recycle();
      --at(parent).device_children;
      update_leaf(leaf);
    } else {
      destroy_host_nodes_below(leaf);
      destroy_leaf(leaf);
    }
    update_leaf(parent);
  }
  return evicted;
}

}  // namespace vacancy
