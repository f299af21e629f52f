// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/free_plan.hpp"

#include <algorithm>
#include <numeric>

#include "sim/shared_blocks/budget_bound.hpp"
#include "sim/shared_blocks/cheapest_leaves.hpp"
#include "sim/shared_blocks/least_losses.hpp"
#include "sim/shared_blocks/page_greedy.hpp"
#include "sim/shared_blocks/subtree_choice.hpp"

namespace vacancy {

namespace {

/// Steps of LeastLosses that take a moment, and memory for them.
constexpr std::uint64_t most_steps = std::uint64_t{1} << 25;

BudgetBound bound_of(const BlockTrie& trie, std::uint32_t blocks) {
  const Loss all = std::accumulate(trie.loss.begin(), trie.loss.end(), Loss{0});
  return budget_bound(blocks, {trie.size(), all}, [&](Price price) {
    const FreedBlocks freed = best_subtrees(trie, price);
    return BudgetPoint{static_cast<std::int64_t>(freed.freed.size()), freed.loss};
  });
}

}  // namespace

FreePlan free_plan(const CachedBlocks& cached, std::uint32_t blocks) {
  const BlockTrie& trie = cached.trie;
  VACANCY_ASSERT(blocks <= trie.size(), "no more blocks than there are");
  const auto choice = [&](const FreedBlocks& freed) {
    return FreePlan::Choice{freed.loss, emptied_pages(cached.pages, freed).size()};
  };
  FreePlan plan;
  plan.blocks = blocks;
  const BudgetBound bound = bound_of(trie, blocks);
  plan.bound = bound.least;
  plan.cheapest_leaves = choice(cheapest_leaves(trie, blocks));
  if (bound.gap(plan.cheapest_leaves.loss) == 0)
    plan.least = plan.cheapest_leaves;
  else if (std::uint64_t{trie.size()} * blocks <= most_steps)
    plan.least = choice(LeastLosses(trie, blocks).set(blocks));
  plan.whole_pages = choice(cheapest_pages_within(trie, cached.pages, blocks).blocks);

  FreedBlocks first;
  first.freed.assign(cached.free_order.begin(), cached.free_order.begin() + blocks);
  std::sort(first.freed.begin(), first.freed.end());
  first.loss = closure_of(block_graph(trie), first.freed).loss;
  plan.free_order = choice(first);
  return plan;
}

}  // namespace vacancy
