// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace vacancy {

inline constexpr std::uint32_t no_sharing_parent = std::numeric_limits<std::uint32_t>::max();

/// Cached blocks that follow one another, and what they follow.
struct SharingNode {
  std::uint32_t parent = no_sharing_parent;  // the place of another node
  std::uint64_t blocks = 1;
  std::uint64_t requests = 0;  // that hold these blocks now
  std::uint64_t hits = 0;      // admissions that found them cached

  bool operator==(const SharingNode&) const = default;
};

/// What a prefix index holds at one moment: a path from a root is the prefix of some request.
/// Parents come before their children, and a node's descendants right behind it.
struct SharingGraph {
  std::vector<SharingNode> nodes;
};

/// Orders nodes, whose parents may stand anywhere among them, and makes one node of each run in
/// which every node is the only child of the one before and has the same requests and hits: what
/// nothing tells apart. Siblings keep their order.
SharingGraph merged_chains(std::span<const SharingNode> nodes);

}  // namespace vacancy
