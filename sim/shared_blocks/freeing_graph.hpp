// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/shared_blocks/block_trie.hpp"

namespace vacancy {

/// `from` goes only together with `to`.
struct Arc {
  std::uint32_t from, to;
};

/// What can be given up, what that brings back and loses, and what must go with it: any graph, such
/// as device pages over blocks, several tables, or sharing outside prefixes.
struct FreeingGraph {
  struct Node {
    std::int64_t gain = 0;  // units of memory that come back
    Loss loss = 0;
  };
  std::vector<Node> nodes;
  std::vector<Arc> arcs;

  std::uint32_t add(std::int64_t gain, Loss loss);
};

/// The blocks of each device page. A page comes back only if all of them are freed; a block that
/// stands in none brings nothing back.
using Pages = std::vector<std::vector<std::uint32_t>>;

/// Node b is block b.
FreeingGraph block_graph(const BlockTrie& trie);
/// Node b: block b is freed; node size + b: it loses its hash (ChainRule::unhash).
FreeingGraph unhash_graph(const BlockTrie& trie);
/// Node b is block b, which brings nothing back by itself; node size + p is page p.
FreeingGraph page_graph(const BlockTrie& trie, const Pages& pages);

/// A set of nodes of a freeing graph, with all that must go with them.
struct Closure {
  std::vector<std::uint32_t> nodes;  // ascending
  std::int64_t gain = 0;
  Loss loss = 0;

  bool operator==(const Closure&) const = default;
};

/// The nodes and all that must go with them.
Closure closure_of(const FreeingGraph& graph, std::span<const std::uint32_t> nodes);

}  // namespace vacancy
