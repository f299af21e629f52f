// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/freeing_graph.hpp"

namespace vacancy {

std::uint32_t FreeingGraph::add(std::int64_t gain, Loss loss) {
  nodes.push_back({gain, loss});
  return static_cast<std::uint32_t>(nodes.size() - 1);
}

FreeingGraph block_graph(const BlockTrie& trie) {
  FreeingGraph graph;
  for (std::uint32_t block = 0; block < trie.size(); ++block) {
    graph.add(1, trie.loss[block]);
    if (trie.parent[block] != no_block) graph.arcs.push_back({trie.parent[block], block});
  }
  return graph;
}

FreeingGraph unhash_graph(const BlockTrie& trie) {
  FreeingGraph graph;
  for (const Loss loss : trie.loss)
    graph.add(1, loss);
  for (std::uint32_t block = 0; block < trie.size(); ++block) {
    const std::uint32_t hash = graph.add(0, trie.reuse[block]);
    graph.arcs.push_back({block, hash});
    if (trie.parent[block] != no_block)
      graph.arcs.push_back({trie.size() + trie.parent[block], hash});
  }
  return graph;
}

FreeingGraph page_graph(const BlockTrie& trie, const Pages& pages) {
  FreeingGraph graph = block_graph(trie);
  for (FreeingGraph::Node& node : graph.nodes)
    node.gain = 0;
  for (const auto& blocks : pages) {
    const std::uint32_t page = graph.add(1, 0);
    for (const std::uint32_t block : blocks)
      graph.arcs.push_back({page, block});
  }
  return graph;
}

Closure closure_of(const FreeingGraph& graph, std::span<const std::uint32_t> nodes) {
  std::vector<std::vector<std::uint32_t>> needs(graph.nodes.size());
  for (const Arc& arc : graph.arcs)
    needs[arc.from].push_back(arc.to);
  std::vector<bool> in(graph.nodes.size(), false);
  std::vector<std::uint32_t> open;
  const auto take = [&](std::uint32_t node) {
    if (!in[node]) open.push_back(node);
    in[node] = true;
  };
  for (const std::uint32_t node : nodes)
    take(node);
  while (!open.empty()) {
    const std::uint32_t node = open.back();
    open.pop_back();
    for (const std::uint32_t other : needs[node])
      take(other);
  }
  Closure closure;
  for (std::uint32_t node = 0; node < graph.nodes.size(); ++node) {
    if (!in[node]) continue;
    closure.nodes.push_back(node);
    closure.gain += graph.nodes[node].gain;
    closure.loss += graph.nodes[node].loss;
  }
  return closure;
}

}  // namespace vacancy
