// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/prefix/radix/child_table.hpp"
#include "sim/prefix/radix/host_tier.hpp"
#include "sim/prefix/radix/leaf_heap.hpp"
#include "sim/prefix/radix/radix_node.hpp"
#include "sim/prefix/radix/radix_policy.hpp"

namespace vacancy {

/// Where a lookup ended.
struct RadixMatch {
  RadixNodeId node;          // the last node of the path, the root if nothing matched
  std::uint32_t tokens = 0;  // matched
  // The path may go on with nodes that only the host has.
  RadixNodeId last = node;
  std::uint32_t host_tokens = 0;
};

/// SGLang's prefix cache (profile sglang-2026-07; spec engines §2, S1–S8): a radix tree over token
/// identities whose segments begin and end at page boundaries.
///
/// Reading changes it: a lookup refreshes the access times of its path and splits the segment in
/// which it ends (S2). Times are readings of a counter, each one higher than the last: a node takes
/// two when it is made (access, then creation), a lookup one unless its key is shorter than a page,
/// an insertion one. Costs go with nodes and runs, not with tokens.
///
/// With a host tier a node that is evicted from the device stays in the tree while the host has a
/// copy. All that is below it left the device before it.
class RadixTree {
 public:
  RadixTree(std::uint32_t page_size, RadixPolicy policy, const HostTierOptions& host = {});

  static constexpr RadixNodeId root() { return RadixNodeId(0); }
  const RadixNode& node(RadixNodeId id) const { return nodes_[id.value()]; }
  std::uint32_t page_size() const { return page_size_; }
  RadixPolicy policy() const { return policy_; }
  /// Cut down to whole pages.
  std::uint32_t whole_pages(std::uint32_t tokens) const { return tokens - tokens % page_size_; }

  /// Finds the longest cached prefix of the key, in whole pages; appends its slots to `slots`.
  RadixMatch match(NamespaceId name_space, TokenView key, SlotRuns* slots = nullptr);

  /// What an insertion tells the nodes of its path (S4).
  struct Insertion {
    std::int32_t priority = 0;
    bool chunked = false;  // part of a prompt that goes on: hit counts do not rise
  };
  /// Caches the key's whole pages, with `slots` for at least as many tokens. Returns how many were
  /// there already on the device, in other slots or the same: those given stay the caller's. What
  /// only the host had gets the slots given.
  std::uint32_t insert(NamespaceId name_space, TokenView key, SlotView slots,
                       const Insertion& insertion);

  /// Locked nodes, and all above them, are not evicted (S6). The root needs no lock.
  void lock(RadixNodeId id);
  void unlock(RadixNodeId id);
  /// A request that goes on with this path had found it.
  void count_found(RadixNodeId id);

  /// Evicts whole leaves in the policy's order until at least `tokens` are gone or none is left
  /// (S7). Each leaf's slots go back in one call. Returns the tokens evicted.
  std::uint64_t evict(std::uint64_t tokens, SlotAllocator& allocator);

  /// The host tier; null without one.
  const HostTier* host() const { return host_ ? &*host_ : nullptr; }
  /// A path that ends at `last` gets `slots` for those of its nodes that only the host has.
  void load_back(RadixNodeId last, SlotView slots);
  /// This one node does not leave the host; no_radix_node: none is held.
  void hold_on_host(RadixNodeId id);

  std::uint64_t evictable_tokens() const { return evictable_tokens_; }
  std::uint64_t protected_tokens() const { return protected_tokens_; }
  /// Tokens with two or more locks, and over all tokens the locks beyond the first.
  std::uint64_t shared_tokens() const { return shared_tokens_; }
  std::uint64_t saved_tokens() const { return saved_tokens_; }
  std::uint32_t size() const { return node_count_; }  // nodes without the root

  /// Computes every count, link and order anew and asserts that they agree. Slow.
  void check_invariants() const;

 private:
  RadixNode& at(RadixNodeId id) { return nodes_[id.value()]; }
  std::uint64_t read_clock() { return ++clock_; }
  RadixNodeId create_node();
  void destroy_leaf(RadixNodeId id);

  std::uint64_t child_hash(RadixNodeId parent, NamespaceId name_space, TokenView key) const;
  RadixNodeId find_child(RadixNodeId parent, NamespaceId name_space, TokenView key) const;
  void append_child(RadixNodeId parent, RadixNodeId child);
  void remove_child(RadixNodeId child);
  /// Puts `replacement`, a node without tokens yet, where `child` is among its siblings.
  void replace_child(RadixNodeId child, RadixNodeId replacement);

  RadixNodeId split(RadixNodeId lower, std::uint32_t head);
  RadixNodeId append_leaf(RadixNodeId above, NamespaceId name_space, TokenView key, SlotView slots,
                          const Insertion& insertion);
  bool evictable(const RadixNode& node) const {
    return node.on_device() && node.device_children == 0 && node.lock_ref == 0;
  }
  bool evictable_from_host(RadixNodeId id) const {
    return !node(id).on_device() && node(id).is_leaf() && id != held_;
  }
  /// To be called after a change of what decides if and when the node is evicted.
  void update_leaf(RadixNodeId id);

  /// A node that only the host has gets slots.
  void restore(RadixNodeId id, SlotView slots);
  /// Whole nodes leave the host, in the policy's order, until at least `tokens` are gone (S14).
  void evict_host(std::uint64_t tokens);
  /// Unless it is there, or there is no room that can be made.
  void copy_to_host(RadixNodeId id);
  /// The nodes of a path that insertions have made due, from its start on.
  void copy_path_to_host(RadixNodeId last);
  void destroy_host_nodes_below(RadixNodeId top);

  std::uint32_t page_size_;
  RadixPolicy policy_;
  std::vector<RadixNode> nodes_;
  std::vector<RadixNodeId> unused_;
  std::uint32_t node_count_ = 0;
  ChildTable children_;
  LeafHeap leaves_;
  std::optional<HostTier> host_;
  RadixNodeId held_ = no_radix_node;
  std::vector<RadixNodeId> due_;  // scratch
  std::uint64_t clock_ = 0;
  std::uint64_t evictable_tokens_ = 0, protected_tokens_ = 0;
  std::uint64_t shared_tokens_ = 0, saved_tokens_ = 0;
};

}  // namespace vacancy
