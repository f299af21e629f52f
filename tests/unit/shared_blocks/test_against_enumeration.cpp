// SPDX-License-Identifier: Apache-2.0
// Cuts, dynamic programs and bounds against trying all sets, over random small cases; and the
// statements of spec block_aware §6.
#include <catch2/catch.hpp>
#include <map>

#include "sim/shared_blocks/budget_bound.hpp"
#include "sim/shared_blocks/cheapest_leaves.hpp"
#include "sim/shared_blocks/least_losses.hpp"
#include "sim/shared_blocks/maximum_closure.hpp"
#include "sim/shared_blocks/page_greedy.hpp"
#include "sim/shared_blocks/subtree_choice.hpp"
#include "tests/support/tries.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

Price random_price(Random& random) {
  return {random.below(40), 1 + random.below(3)};
}

FreeingGraph random_graph(Random& random) {
  FreeingGraph graph;
  const std::uint32_t nodes = 1 + random.below(11);
  for (std::uint32_t node = 0; node < nodes; ++node)
    graph.add(random.below(3), random.below(9));
  for (std::uint32_t arcs = random.below(2 * nodes); arcs > 0; --arcs)
    graph.arcs.push_back({random.below(nodes), random.below(nodes)});
  return graph;
}

BudgetPoint all_of(const FreeingGraph& graph) {
  BudgetPoint all;
  for (const FreeingGraph::Node& node : graph.nodes) {
    all.gain += node.gain;
    all.loss += node.loss;
  }
  return all;
}

BestAtPrice by_cut(const FreeingGraph& graph) {
  return [&graph](Price price) {
    const Closure closure = maximum_closure(graph, price);
    return BudgetPoint{closure.gain, closure.loss};
  };
}

/// The corners of the lower convex hull, and its least integer at each gain.
std::vector<BudgetPoint> plain_hull(const std::vector<PlainLeast>& least) {
  std::vector<BudgetPoint> hull;
  const auto above_line = [](BudgetPoint a, BudgetPoint b, BudgetPoint c) {
    return (b.loss - a.loss) * (c.gain - a.gain) >= (c.loss - a.loss) * (b.gain - a.gain);
  };
  for (std::size_t gain = 0; gain < least.size(); ++gain) {
    if (!least[gain].loss) continue;
    const BudgetPoint point{static_cast<std::int64_t>(gain), *least[gain].loss};
    while (hull.size() >= 2 && above_line(hull[hull.size() - 2], hull.back(), point))
      hull.pop_back();
    hull.push_back(point);
  }
  return hull;
}

void check_bounds(const FreeingGraph& graph, const BestAtPrice& best) {
  const BudgetPoint all = all_of(graph);
  if (all.gain == 0) return;
  const auto least = plain_least(graph);
  const auto hull = plain_hull(least);
  CHECK(breakpoints(all, best) == hull);
  for (std::int64_t gain = 0; gain <= all.gain; ++gain) {
    INFO("gain " << gain);
    const BudgetBound bound = budget_bound(gain, all, best);
    const auto high = std::find_if(hull.begin(), hull.end(),
                                   [&](BudgetPoint corner) { return corner.gain >= gain; });
    const auto low = high->gain == gain ? high : high - 1;
    CHECK(bound.below == *low);
    CHECK(bound.above == *high);
    const auto& exact = least[static_cast<std::size_t>(gain)].loss;
    if (exact) CHECK(bound.gap(*exact) >= 0);
    if (exact && low == high) CHECK(bound.gap(*exact) == 0);
    if (low == high) continue;
    // The least integer on or above the line.
    const std::int64_t width = high->gain - low->gain;
    const std::int64_t line = low->loss * width + (gain - low->gain) * (high->loss - low->loss);
    CHECK(bound.least * width >= line);
    CHECK((bound.least - 1) * width < line);
  }
}

}  // namespace

TEST_CASE("300 tries of up to 12 blocks: cut, subtrees and every number of blocks") {
  Random random(1);
  for (int round = 0; round < 300; ++round) {
    const BlockTrie trie = random_trie(random, 12);
    const FreeingGraph graph = block_graph(trie);
    for (int prices = 0; prices < 3; ++prices) {
      const Price price = random_price(random);
      const Closure plain = plain_best(graph, price);
      REQUIRE(maximum_closure(graph, price) == plain);
      REQUIRE(best_subtrees(trie, price) == FreedBlocks{plain.nodes, {}, plain.loss});
    }
    const LeastLosses least(trie, trie.size());
    const auto plain = plain_least(graph);
    for (std::uint32_t count = 0; count <= trie.size(); ++count) {
      REQUIRE(least.losses()[count] == plain[count].loss);
      const FreedBlocks set = least.set(count);
      const Closure closed = closure_of(graph, set.freed);
      REQUIRE(closed == Closure{set.freed, count, set.loss});
      REQUIRE(set.loss == plain[count].loss);
      REQUIRE(cheapest_leaves(trie, count).loss >= set.loss);
    }
    check_bounds(graph, [&](Price price) {
      const FreedBlocks freed = best_subtrees(trie, price);
      return BudgetPoint{static_cast<std::int64_t>(freed.freed.size()), freed.loss};
    });
  }
}

TEST_CASE("Limits below the size of the trie change nothing below them") {
  Random random(2);
  for (int round = 0; round < 100; ++round) {
    const BlockTrie trie = random_trie(random, 40);
    const std::uint32_t limit = random.below(trie.size() + 1);
    for (const ChainRule rule : {ChainRule::free, ChainRule::unhash}) {
      const LeastLosses whole(trie, trie.size(), rule), part(trie, limit, rule);
      REQUIRE(part.losses().size() == limit + 1);
      for (std::uint32_t count = 0; count <= limit; ++count) {
        REQUIRE(part.losses()[count] == whole.losses()[count]);
        REQUIRE(part.set(count) == whole.set(count));
      }
    }
  }
}

TEST_CASE("Small tries whose blocks may lose only their hash") {
  Random random(3);
  for (int round = 0; round < 150; ++round) {
    const BlockTrie trie = random_trie(random, 7);
    const FreeingGraph graph = unhash_graph(trie);
    for (int prices = 0; prices < 3; ++prices) {
      const Price price = random_price(random);
      const Closure plain = plain_best(graph, price);
      REQUIRE(maximum_closure(graph, price) == plain);
      FreedBlocks freed = best_subtrees(trie, price, ChainRule::unhash);
      REQUIRE(freed.loss == plain.loss);
      for (const std::uint32_t block : freed.unhashed)
        freed.freed.push_back(trie.size() + block);
      REQUIRE(freed.freed == plain.nodes);
    }
    const LeastLosses least(trie, trie.size(), ChainRule::unhash);
    const auto plain = plain_least(graph);
    for (std::uint32_t count = 0; count <= trie.size(); ++count) {
      REQUIRE(least.losses()[count] == plain[count].loss);
      const FreedBlocks set = least.set(count);
      REQUIRE(set.freed.size() == count);
      std::vector<std::uint32_t> nodes = set.freed;
      for (const std::uint32_t block : set.unhashed)
        nodes.push_back(trie.size() + block);
      REQUIRE(closure_of(graph, nodes) == Closure{nodes, count, set.loss});
    }
    check_bounds(graph, by_cut(graph));
  }
}

TEST_CASE("Any graph, cycles included: the smallest optimum of the cut") {
  Random random(4);
  for (int round = 0; round < 300; ++round) {
    const FreeingGraph graph = random_graph(random);
    const Price price = random_price(random);
    REQUIRE(maximum_closure(graph, price) == plain_best(graph, price));
    if (round % 3 == 0) check_bounds(graph, by_cut(graph));
  }
}

TEST_CASE("What goes at a price goes at every higher one") {
  Random random(5);
  for (int round = 0; round < 60; ++round) {
    const BlockTrie trie = random_trie(random, 60, 30);
    const FreeingGraph graphs[] = {block_graph(trie), unhash_graph(trie),
                                   page_graph(trie, random_pages(random, trie, 9))};
    for (const FreeingGraph& graph : graphs) {
      Closure before;
      for (std::int64_t price = 0; price < 80; price += 4) {
        const Closure now = maximum_closure(graph, {price});
        REQUIRE(std::includes(now.nodes.begin(), now.nodes.end(), before.nodes.begin(),
                              before.nodes.end()));
        before = now;
      }
    }
  }
}

TEST_CASE("A price for each touched request is a loss of its last block") {
  Random random(6);
  for (int round = 0; round < 60; ++round) {
    BlockTrie trie = random_trie(random, 8, 1);
    std::vector<BlockHolder> holders(1 + random.below(4));
    std::vector<std::vector<std::uint32_t>> paths;
    for (BlockHolder& holder : holders) {
      holder.last = random.below(trie.size());
      holder.touched = random.below(5);
      auto& path = paths.emplace_back();
      for (std::uint32_t block = holder.last; block != no_block; block = trie.parent[block])
        path.insert(path.begin(), block);
      for (std::size_t i = 0; i < path.size(); ++i)
        holder.losses.push_back(random.below(6));
      add_holder(trie, holder);
    }
    for_each_closure(block_graph(trie), [&](const Closure& closure) {
      Loss plain = 0;
      for (std::size_t h = 0; h < holders.size(); ++h) {
        bool touched = false;
        for (std::size_t i = 0; i < paths[h].size(); ++i) {
          if (!std::binary_search(closure.nodes.begin(), closure.nodes.end(), paths[h][i]))
            continue;
          plain += holders[h].losses[i];
          touched = true;
        }
        if (touched) plain += holders[h].touched;
      }
      REQUIRE(closure.loss == plain);
    });
  }
}

TEST_CASE("Cheapest leaf first is optimal where no block costs less than one below it") {
  Random random(7);
  for (int round = 0; round < 100; ++round) {
    BlockTrie trie = random_trie(random, 40);
    for (std::uint32_t block = trie.size(); block-- > 0;)
      if (const std::uint32_t above = trie.parent[block]; above != no_block)
        trie.loss[above] = std::max(trie.loss[above], trie.loss[block]);
    const LeastLosses least(trie, trie.size());
    for (std::uint32_t count = 0; count <= trie.size(); ++count)
      REQUIRE(cheapest_leaves(trie, count).loss == least.losses()[count]);
  }
}

TEST_CASE("Pages over small tries: cut, bound and greedy") {
  Random random(8);
  std::uint32_t worse = 0;
  for (int round = 0; round < 200; ++round) {
    const BlockTrie trie = random_trie(random, 9);
    Pages pages = random_pages(random, trie, 4);
    pages.erase(std::remove_if(pages.begin(), pages.end(),
                               [](const auto& blocks) { return blocks.empty(); }),
                pages.end());
    const FreeingGraph graph = page_graph(trie, pages);
    const Price price = random_price(random);
    REQUIRE(maximum_closure(graph, price) == plain_best(graph, price));
    if (pages.empty()) continue;
    check_bounds(graph, by_cut(graph));
    const auto least = plain_least(graph);
    for (std::uint32_t count = 1; count <= pages.size(); ++count) {
      const FreedPages greedy = cheapest_pages(trie, pages, count);
      REQUIRE(greedy.pages.size() >= count);
      const Closure closed = closure_of(block_graph(trie), greedy.blocks.freed);
      REQUIRE(closed.nodes == greedy.blocks.freed);
      REQUIRE(closed.loss == greedy.blocks.loss);
      REQUIRE(greedy.blocks.loss >= *least[count].loss);
      if (greedy.pages.size() == count) worse += greedy.blocks.loss > *least[count].loss;
    }
    for (std::uint32_t count = 0; count <= trie.size(); ++count) {
      const FreedPages greedy = cheapest_pages_within(trie, pages, count);
      REQUIRE(greedy.blocks.freed.size() == count);
      REQUIRE(closure_of(block_graph(trie), greedy.blocks.freed).nodes == greedy.blocks.freed);
      REQUIRE(greedy.pages == emptied_pages(pages, greedy.blocks));
    }
  }
  CHECK(worse > 0);  // it is a heuristic
}

// Spec block_aware §6, NP-hard (b): a set is the page of the ancestors that stand for it, one above
// each of its elements.
TEST_CASE("Choosing whole pages on chains is choosing sets with the lightest union") {
  Random random(9);
  for (int round = 0; round < 50; ++round) {
    const std::uint32_t sets = 1 + random.below(4), elements = 1 + random.below(3);
    BlockTrie trie;
    Pages pages(sets);
    std::vector<Loss> weights;
    std::vector<std::uint32_t> members;  // bits of the sets that have the element
    for (std::uint32_t element = 0; element < elements; ++element) {
      weights.push_back(1 + random.below(9));
      members.push_back(random.below(1u << sets));
      std::uint32_t above = no_block;
      for (std::uint32_t set = 0; set < sets; ++set) {
        if ((members.back() >> set & 1) == 0) continue;
        above = trie.add(above);
        pages[set].push_back(above);
      }
      trie.add(above, weights.back());
    }
    const FreeingGraph graph = page_graph(trie, pages);
    for (std::uint32_t chosen = 0; chosen < 1u << sets; ++chosen) {
      std::vector<std::uint32_t> nodes;
      for (std::uint32_t set = 0; set < sets; ++set)
        if ((chosen >> set & 1) != 0) nodes.push_back(trie.size() + set);
      Loss weight = 0;
      for (std::uint32_t element = 0; element < elements; ++element)
        if ((members[element] & chosen) != 0) weight += weights[element];
      CHECK(closure_of(graph, nodes).loss == weight);
    }
  }
}
