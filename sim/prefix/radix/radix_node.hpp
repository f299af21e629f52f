// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include "sim/prefix/radix/slot_allocator.hpp"
#include "sim/prefix/radix/token_run.hpp"
#include "sim/units/strong_type.hpp"

namespace vacancy {

/// A node of a radix tree, for as long as it lives. When a node is split, the lower part keeps it.
using RadixNodeId = StrongType<struct RadixNodeIdTag, std::uint32_t>;
/// What an engine calls extra key (LoRA adapter, cache salt): equal tokens of two namespaces are
/// different prefixes.
using NamespaceId = StrongType<struct NamespaceIdTag, std::uint32_t>;

inline constexpr RadixNodeId no_radix_node{std::numeric_limits<std::uint32_t>::max()};

/// A segment of cached tokens: with a slot for each on the device, or only a copy on the host, or
/// both. Times are readings of the tree's counter.
struct RadixNode {
  TokenRuns tokens;
  SlotRuns slots;
  RadixNodeId parent = no_radix_node;
  RadixNodeId first_child = no_radix_node, last_child = no_radix_node;
  RadixNodeId previous_sibling = no_radix_node, next_sibling = no_radix_node;
  NamespaceId name_space;
  bool on_host = false;
  std::uint32_t device_children = 0;
  std::uint32_t lock_ref = 0;
  std::uint32_t hit_count = 0;  // S4
  std::uint32_t found = 0;      // by requests that were then admitted; no part of the engine
  std::int32_t priority = 0;
  std::uint64_t access = 0, created = 0;

  bool is_leaf() const { return first_child == no_radix_node; }
  bool on_device() const { return slots.size() == tokens.size(); }
};

}  // namespace vacancy
