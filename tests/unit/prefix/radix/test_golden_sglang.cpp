// SPDX-License-Identifier: Apache-2.0
// Golden S-A: what SGLang's own tree and allocator print, operation by operation.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::children;
using vacancy::test::flat;
using vacancy::test::ids;
using vacancy::test::none;
using Slots = std::vector<std::uint32_t>;

namespace {

RadixCache make_cache(std::uint32_t page_size, RadixPolicy policy) {
  return {{page_size, policy}, std::make_unique<TokenSlotAllocator>(24)};
}

/// The end of the free list.
Slots freed(const RadixCache& cache, std::size_t count) {
  const Slots list = flat(cache.allocator().free_list());
  return {list.end() - static_cast<std::ptrdiff_t>(count), list.end()};
}

/// [1, 2, 3] with the children [4, 5, 6] and [9, 10].
RadixCache with_two_branches(RadixPolicy policy) {
  RadixCache cache = make_cache(1, policy);
  cache.store(none, ids({1, 2, 3, 4, 5, 6}), {});
  cache.store(none, ids({1, 2, 3, 9, 10}), {});
  return cache;
}

}  // namespace

TEST_CASE("golden S-A: inserts, a match that splits, locks and evictions, page 1") {
  RadixCache cache = make_cache(1, RadixPolicy::lru);
  RadixTree& tree = cache.tree();

  const auto first = cache.store(none, ids({1, 2, 3, 4, 5, 6}), {});
  CHECK(flat(first.slots) == Slots{1, 2, 3, 4, 5, 6});
  const auto second = cache.store(none, ids({1, 2, 3, 9, 10}), {});
  CHECK(second.matched == 3);
  CHECK(flat(second.slots) == Slots{1, 2, 3, 7, 8});

  REQUIRE(children(tree, tree.root()).size() == 1);
  const RadixNodeId trunk = children(tree, tree.root())[0];
  REQUIRE(children(tree, trunk).size() == 2);
  const RadixNodeId old_branch = children(tree, trunk)[0], new_branch = children(tree, trunk)[1];
  CHECK(tree.node(trunk).tokens == ids({1, 2, 3}));
  CHECK(tree.node(old_branch).tokens == ids({4, 5, 6}));
  CHECK(tree.node(new_branch).tokens == ids({9, 10}));
  CHECK(flat(tree.node(new_branch).slots) == Slots{7, 8});
  CHECK(tree.node(trunk).hit_count == 2);
  CHECK(tree.node(old_branch).hit_count == 1);
  CHECK(tree.node(new_branch).hit_count == 1);
  CHECK(tree.evictable_tokens() == 8);

  SlotRuns matched;
  const RadixMatch match = tree.match(none, ids({1, 2, 3, 4, 7}), &matched);
  CHECK(flat(matched) == Slots{1, 2, 3, 4});
  CHECK(tree.node(match.node).tokens == ids({4}));
  REQUIRE(children(tree, match.node) == std::vector{old_branch});
  CHECK(tree.node(old_branch).tokens == ids({5, 6}));

  tree.lock(match.node);
  CHECK(tree.evictable_tokens() == 4);
  CHECK(tree.protected_tokens() == 4);
  CHECK(cache.evict(1) == 2);
  CHECK(freed(cache, 3) == Slots{24, 7, 8});
  CHECK(cache.evict(100) == 2);
  CHECK(freed(cache, 4) == Slots{7, 8, 5, 6});

  tree.unlock(match.node);
  CHECK(tree.evictable_tokens() == 4);
  CHECK(cache.evict(2) == 4);
  CHECK(freed(cache, 6) == Slots{5, 6, 4, 1, 2, 3});
  CHECK(tree.size() == 0);
  tree.check_invariants();
}

TEST_CASE("golden S-A: FIFO evicts [5,6] before [9,10], LRU and SLRU after") {
  const auto first_evicted = [](RadixPolicy policy) {
    RadixCache cache = with_two_branches(policy);
    cache.tree().match(none, ids({1, 2, 3, 4, 7}));
    CHECK(cache.evict(1) == 2);
    return freed(cache, 2);
  };
  CHECK(first_evicted(RadixPolicy::fifo) == Slots{5, 6});
  CHECK(first_evicted(RadixPolicy::lru) == Slots{7, 8});
  CHECK(first_evicted(RadixPolicy::slru) == Slots{7, 8});
}

TEST_CASE("golden S-A: SLRU goes as LRU through the whole list") {
  const auto order = [](RadixPolicy policy) {
    RadixCache cache = with_two_branches(policy);
    cache.tree().match(none, ids({1, 2, 3, 4, 7}));
    CHECK(cache.evict(100) == 8);
    return freed(cache, 8);
  };
  CHECK(order(RadixPolicy::slru) == order(RadixPolicy::lru));
  CHECK(order(RadixPolicy::fifo) == Slots{5, 6, 7, 8, 4, 1, 2, 3});
}

TEST_CASE("golden S-A: a page 4 tree over the token allocator") {
  RadixCache cache = make_cache(4, RadixPolicy::lru);
  RadixTree& tree = cache.tree();
  const auto first = cache.store(none, ids({1, 2, 3, 4, 5, 6}), {});
  CHECK(flat(first.slots) == Slots{1, 2, 3, 4, 5, 6});
  CHECK(freed(cache, 3) == Slots{24, 5, 6});

  const auto second = cache.store(none, ids({1, 2, 3, 9, 10}), {});
  CHECK(second.matched == 0);
  CHECK(flat(second.slots) == Slots{7, 8, 9, 10, 11});
  CHECK(freed(cache, 4) == Slots{24, 5, 6, 11});

  const auto siblings = children(tree, tree.root());
  REQUIRE(siblings.size() == 2);
  CHECK(flat(tree.node(siblings[0]).slots) == Slots{1, 2, 3, 4});
  CHECK(flat(tree.node(siblings[1]).slots) == Slots{7, 8, 9, 10});

  SlotRuns matched;
  const RadixMatch match = tree.match(none, ids({1, 2, 3, 4, 7}), &matched);
  CHECK(flat(matched) == Slots{1, 2, 3, 4});
  CHECK(match.node == siblings[0]);
  tree.lock(match.node);
  CHECK(tree.evictable_tokens() == 4);
  CHECK(cache.evict(1) == 4);
  CHECK(freed(cache, 5) == Slots{11, 7, 8, 9, 10});
  tree.check_invariants();
}
