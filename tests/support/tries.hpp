// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "sim/shared_blocks/freeing_graph.hpp"
#include "tests/support/random.hpp"

namespace vacancy::test {

/// Blocks 0 → {1, 4}, 1 → {2, 3}, 4 → {5, 7}, 5 → 6 of four requests (spec block_aware, BA-2; reuse
/// values of BA-3).
inline BlockTrie example_trie() {
  BlockTrie trie;
  const std::uint32_t parents[] = {no_block, 0, 1, 1, 0, 4, 5, 4};
  const Loss reuse[] = {6, 2, 1, 1, 3, 2, 0, 2};
  for (std::uint32_t block = 0; block < 8; ++block)
    trie.add(parents[block], 0, reuse[block]);
  add_holder(trie, {2, {9, 4, 7}});
  add_holder(trie, {3, {8, 4, 2}});
  add_holder(trie, {6, {7, 1, 2, 9}});
  add_holder(trie, {7, {9, 2, 5}});
  return trie;
}

/// A forest of up to `most` blocks with small losses, so that ties are common.
inline BlockTrie random_trie(Random& random, std::uint32_t most, std::uint32_t losses = 9) {
  BlockTrie trie;
  for (std::uint32_t left = 1 + random.below(most); left > 0; --left) {
    std::uint32_t above = trie.size() == 0 ? no_block : trie.size() - 1;
    while (above != no_block && random.one_in(3))
      above = trie.parent[above];
    trie.add(above, random.below(losses), random.below(4));
  }
  return trie;
}

/// Every block on one of the pages, or now and then on none.
inline Pages random_pages(Random& random, const BlockTrie& trie, std::uint32_t most) {
  Pages pages(1 + random.below(most));
  const auto count = static_cast<std::uint32_t>(pages.size());
  for (std::uint32_t block = 0; block < trie.size(); ++block)
    if (!random.one_in(8)) pages[random.below(count)].push_back(block);
  return pages;
}

/// Calls f(closure) for each closed set of a small graph.
template <class F>
void for_each_closure(const FreeingGraph& graph, F&& f) {
  const auto nodes = static_cast<std::uint32_t>(graph.nodes.size());
  for (std::uint32_t set = 0; set < 1u << nodes; ++set) {
    const auto in = [&](std::uint32_t node) { return (set >> node & 1) != 0; };
    if (std::any_of(graph.arcs.begin(), graph.arcs.end(),
                    [&](const Arc& arc) { return in(arc.from) && !in(arc.to); }))
      continue;
    Closure closure;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      if (!in(node)) continue;
      closure.nodes.push_back(node);
      closure.gain += graph.nodes[node].gain;
      closure.loss += graph.nodes[node].loss;
    }
    f(closure);
  }
}

/// The best closed set by trying all; of several the one with fewest nodes.
inline Closure plain_best(const FreeingGraph& graph, Price price) {
  Closure best;
  for_each_closure(graph, [&](const Closure& closure) {
    const std::int64_t own = value(closure.gain, closure.loss, price);
    const std::int64_t most = value(best.gain, best.loss, price);
    if (own > most || (own == most && closure.nodes.size() < best.nodes.size())) best = closure;
  });
  return best;
}

/// The least loss for each gain by trying all; how many sets reach it.
struct PlainLeast {
  std::optional<Loss> loss;
  std::uint32_t sets = 0;
};
inline std::vector<PlainLeast> plain_least(const FreeingGraph& graph) {
  std::int64_t all = 0;
  for (const FreeingGraph::Node& node : graph.nodes)
    all += node.gain;
  std::vector<PlainLeast> least(static_cast<std::size_t>(all) + 1);
  for_each_closure(graph, [&](const Closure& closure) {
    PlainLeast& entry = least[static_cast<std::size_t>(closure.gain)];
    if (!entry.loss || closure.loss < *entry.loss) entry = {closure.loss, 0};
    if (closure.loss == *entry.loss) ++entry.sets;
  });
  return least;
}

}  // namespace vacancy::test
