// SPDX-License-Identifier: Apache-2.0
// BA-2, BA-3 and BA-4 of spec block_aware §7.
#include <catch2/catch.hpp>

#include "sim/shared_blocks/budget_bound.hpp"
#include "sim/shared_blocks/cheapest_leaves.hpp"
#include "sim/shared_blocks/least_losses.hpp"
#include "sim/shared_blocks/maximum_closure.hpp"
#include "sim/shared_blocks/page_greedy.hpp"
#include "sim/shared_blocks/subtree_choice.hpp"
#include "tests/support/tries.hpp"

using namespace vacancy;
using vacancy::test::example_trie;
using vacancy::test::plain_least;

namespace {

using Blocks = std::vector<std::uint32_t>;

std::vector<Loss> least_losses(const BlockTrie& trie, ChainRule rule) {
  const LeastLosses least(trie, trie.size(), rule);
  return {least.losses().begin(), least.losses().end()};
}

}  // namespace

TEST_CASE("BA-2: the losses of the holders add up") {
  CHECK(example_trie().loss == std::vector<Loss>{33, 8, 7, 2, 3, 2, 9, 5});
}

TEST_CASE("BA-2: least losses for every number of blocks, each by one set only") {
  const BlockTrie trie = example_trie();
  const std::vector<Loss> losses{0, 2, 7, 13, 18, 21, 28, 36, 69};
  CHECK(least_losses(trie, ChainRule::free) == losses);
  const LeastLosses least(trie, 8);
  const Blocks sets[] = {{},
                         {3},
                         {3, 7},
                         {3, 5, 6},
                         {3, 5, 6, 7},
                         {3, 4, 5, 6, 7},
                         {2, 3, 4, 5, 6, 7},
                         {1, 2, 3, 4, 5, 6, 7},
                         {0, 1, 2, 3, 4, 5, 6, 7}};
  const auto plain = plain_least(block_graph(trie));
  for (std::uint32_t count = 0; count <= 8; ++count) {
    INFO(count);
    CHECK(least.set(count) == FreedBlocks{sets[count], {}, losses[count]});
    CHECK(plain[count].loss == losses[count]);
    CHECK(plain[count].sets == 1);
  }
}

TEST_CASE("BA-2: a lower limit gives the same beginning") {
  const BlockTrie trie = example_trie();
  const LeastLosses least(trie, 4);
  CHECK(least.losses().size() == 5);
  CHECK(least.set(4) == FreedBlocks{{3, 5, 6, 7}, {}, 18});
}

TEST_CASE("BA-2: cheapest leaf first") {
  const BlockTrie trie = example_trie();
  const Loss losses[] = {0, 2, 7, 14, 22, 31, 33, 36, 69};
  for (std::uint32_t count = 0; count <= 8; ++count)
    CHECK(cheapest_leaves(trie, count).loss == losses[count]);
  CHECK(cheapest_leaves(trie, 4).freed == Blocks{1, 2, 3, 7});
}

TEST_CASE("BA-2: prices, by subtrees and by a cut") {
  const BlockTrie trie = example_trie();
  struct Row {
    std::int64_t price, value;
    Blocks freed;
  };
  const auto row =
      GENERATE(Row{4, 2, {3}}, Row{6, 9, {3, 4, 5, 6, 7}}, Row{8, 20, {2, 3, 4, 5, 6, 7}});
  const FreedBlocks freed = best_subtrees(trie, {row.price});
  CHECK(freed.freed == row.freed);
  CHECK(row.price * static_cast<std::int64_t>(row.freed.size()) - freed.loss == row.value);
  const Closure cut = maximum_closure(block_graph(trie), {row.price});
  CHECK(cut.nodes == row.freed);
  CHECK(value(cut.gain, cut.loss, {row.price}) == row.value);
}

TEST_CASE("BA-2: prices find 0, 1, 5, 6, 7 and 8 blocks only") {
  const BlockTrie trie = example_trie();
  const auto best = [&](Price price) {
    const FreedBlocks freed = best_subtrees(trie, price);
    return BudgetPoint{static_cast<std::int64_t>(freed.freed.size()), freed.loss};
  };
  CHECK(breakpoints({8, 69}, best) ==
        std::vector<BudgetPoint>{{0, 0}, {1, 2}, {5, 21}, {6, 28}, {7, 36}, {8, 69}});
  // Between (1, 2) and (5, 21) a block costs 4.75.
  const BudgetBound three = budget_bound(3, {8, 69}, best);
  CHECK(three.below == BudgetPoint{1, 2});
  CHECK(three.above == BudgetPoint{5, 21});
  CHECK(three.least == 12);
  CHECK(three.gap(13) == 1);
  const BudgetBound six = budget_bound(6, {8, 69}, best);
  CHECK(six.below == six.above);
  CHECK(six.gap(28) == 0);
}

TEST_CASE("BA-3: blocks that only lose their hash stay with their holders") {
  const BlockTrie trie = example_trie();
  CHECK(least_losses(trie, ChainRule::unhash) ==
        std::vector<Loss>{0, 3, 7, 14, 20, 28, 37, 47, 86});

  struct Row {
    std::int64_t price, value;
    Blocks freed, unhashed;
  };
  const auto row =
      GENERATE(Row{5, 3, {3, 5}, {3, 5, 6}}, Row{8, 12, {3, 4, 5, 7}, {3, 4, 5, 6, 7}});
  const FreedBlocks freed = best_subtrees(trie, {row.price}, ChainRule::unhash);
  CHECK(freed.freed == row.freed);
  CHECK(freed.unhashed == row.unhashed);
  CHECK(row.price * static_cast<std::int64_t>(row.freed.size()) - freed.loss == row.value);
  const Closure cut = maximum_closure(unhash_graph(trie), {row.price});
  Blocks nodes = row.freed;
  for (const std::uint32_t block : row.unhashed)
    nodes.push_back(8 + block);
  CHECK(cut.nodes == nodes);
  CHECK(value(cut.gain, cut.loss, {row.price}) == row.value);
}

TEST_CASE("BA-4: device pages") {
  const BlockTrie trie = example_trie();
  const Pages pages{{0, 6}, {1, 2, 5}, {3, 4, 7}};
  const FreeingGraph graph = page_graph(trie, pages);
  const auto least = plain_least(graph);
  CHECK(least[1].loss == 21);
  CHECK(least[2].loss == 36);
  CHECK(least[3].loss == 69);
  const std::uint32_t third[] = {8 + 2};
  CHECK(closure_of(graph, third) == Closure{{3, 4, 5, 6, 7, 10}, 1, 21});

  CHECK(maximum_closure(graph, {18}) == Closure{});
  const Closure two = maximum_closure(graph, {19});
  CHECK(two.gain == 2);
  CHECK(value(two.gain, two.loss, {19}) == 2);
  CHECK(two.nodes == Blocks{1, 2, 3, 4, 5, 6, 7, 9, 10});
  const auto best = [&](Price price) {
    const Closure closure = maximum_closure(graph, price);
    return BudgetPoint{closure.gain, closure.loss};
  };
  CHECK(breakpoints({3, 69}, best) == std::vector<BudgetPoint>{{0, 0}, {2, 36}, {3, 69}});
  CHECK(budget_bound(1, {3, 69}, best).least == 18);

  const FreedPages one = cheapest_pages(trie, pages, 1);
  CHECK(one.pages == Blocks{2});
  CHECK(one.blocks == FreedBlocks{{3, 4, 5, 6, 7}, {}, 21});
  CHECK(cheapest_pages(trie, pages, 2).blocks.loss == 36);
  // The same five blocks bring no page back if the cheapest leaves go.
  CHECK(emptied_pages(pages, cheapest_leaves(trie, 5)).empty());
  CHECK(cheapest_pages_within(trie, pages, 6).blocks == FreedBlocks{{2, 3, 4, 5, 6, 7}, {}, 28});
}
