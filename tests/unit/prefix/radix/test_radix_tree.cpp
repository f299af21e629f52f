// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::children;
using vacancy::test::flat;
using vacancy::test::ids;
using vacancy::test::none;
using Numbers = std::vector<std::uint32_t>;

namespace {

constexpr NamespaceId other{1};

RadixCache make_cache(RadixPolicy policy = RadixPolicy::lru, std::uint32_t page_size = 1) {
  return {{page_size, policy}, std::make_unique<TokenSlotAllocator>(64)};
}

const RadixNode& only_child(const RadixTree& tree, RadixNodeId parent) {
  const auto list = children(tree, parent);
  REQUIRE(list.size() == 1);
  return tree.node(list[0]);
}

}  // namespace

TEST_CASE("S1: equal tokens of two namespaces share nothing") {
  RadixCache cache = make_cache();
  cache.store(none, ids({1, 2}), {});
  CHECK(cache.tree().match(other, ids({1, 2})).tokens == 0);
  CHECK(cache.store(other, ids({1, 2}), {}).matched == 0);
  CHECK(children(cache.tree(), RadixTree::root()).size() == 2);
}

TEST_CASE("S2: a lookup takes whole pages and splits at a page boundary") {
  RadixCache cache = make_cache(RadixPolicy::lru, 2);
  cache.store(none, ids({1, 2, 3, 4, 5, 6}), {});
  CHECK(cache.tree().match(none, ids({1})).tokens == 0);
  CHECK(cache.tree().match(none, ids({1, 9})).tokens == 0);
  CHECK(cache.tree().size() == 1);
  CHECK(cache.tree().match(none, ids({1, 2, 3, 4, 5, 9})).tokens == 4);
  CHECK(cache.tree().size() == 2);
  CHECK(only_child(cache.tree(), RadixTree::root()).tokens == ids({1, 2, 3, 4}));
}

TEST_CASE("S2: readings of the clock: two for a node, one for a lookup unless its key is empty") {
  RadixCache cache = make_cache(RadixPolicy::lru, 2);
  RadixTree& tree = cache.tree();            // the root took 1 and 2
  tree.match(none, ids({1}));                // shorter than a page: nothing
  tree.match(none, ids({1, 2}));             // 3
  cache.store(none, ids({1, 2, 3, 4}), {});  // 4: lookup, 5: insertion, 6 and 7: the leaf
  CHECK(only_child(tree, RadixTree::root()).access == 6);
  CHECK(only_child(tree, RadixTree::root()).created == 7);
  tree.match(none, ids({1, 2}));  // 8: touches, 9 and 10: the upper part
  const RadixNode& upper = only_child(tree, RadixTree::root());
  CHECK(upper.access == 9);
  CHECK(upper.created == 10);
  const RadixNode& lower = only_child(tree, children(tree, RadixTree::root())[0]);
  CHECK(lower.access == 8);
  CHECK(lower.created == 7);
}

TEST_CASE("S3: the upper part takes over priority, hits and locks; the lower part stays the node") {
  RadixCache cache = make_cache();
  RadixTree& tree = cache.tree();
  cache.store(none, ids({1, 2, 3}), {.priority = 2});
  const RadixMatch locked = tree.match(none, ids({1, 2, 3}));
  tree.lock(locked.node);
  tree.match(none, ids({1, 9}));
  const RadixNode& upper = only_child(tree, RadixTree::root());
  CHECK(upper.tokens == ids({1}));
  CHECK(upper.priority == 2);
  CHECK(upper.hit_count == 1);
  CHECK(upper.lock_ref == 1);
  CHECK(tree.node(locked.node).tokens == ids({2, 3}));
  tree.unlock(locked.node);
  CHECK(upper.lock_ref == 0);
  tree.check_invariants();
}

TEST_CASE("S4: insertions raise hits and priority along the path, lookups do not") {
  RadixCache cache = make_cache();
  RadixTree& tree = cache.tree();
  cache.store(none, ids({1, 2}), {.priority = 1});
  cache.store(none, ids({1, 2, 3}), {.priority = 3});
  const RadixNode& trunk = only_child(tree, RadixTree::root());
  CHECK(trunk.hit_count == 2);
  CHECK(trunk.priority == 3);
  cache.store(none, ids({1, 2, 3, 4}), {.priority = 0, .chunked = true});
  CHECK(trunk.hit_count == 2);
  CHECK(trunk.priority == 3);
  const RadixMatch leaf = tree.match(none, ids({1, 2, 3, 4}));
  CHECK(tree.node(leaf.node).hit_count == 0);
  CHECK(tree.node(leaf.node).priority == 0);
}

TEST_CASE("S4: a split by an insertion raises the upper part only") {
  RadixCache cache = make_cache();
  RadixTree& tree = cache.tree();
  const SlotRuns slots = cache.store(none, ids({1, 2, 3}), {}).slots;
  CHECK(tree.insert(none, ids({1, 2}), slots, {.priority = 5}) == 2);
  const RadixNode& upper = only_child(tree, RadixTree::root());
  const RadixNode& lower = only_child(tree, children(tree, RadixTree::root())[0]);
  CHECK(upper.hit_count == 2);
  CHECK(upper.priority == 5);
  CHECK(lower.hit_count == 1);
  CHECK(lower.priority == 0);
}

TEST_CASE("S6: a lock protects the whole path and only its first counts the tokens") {
  RadixCache cache = make_cache();
  RadixTree& tree = cache.tree();
  cache.store(none, ids({1, 2}), {});
  cache.store(none, ids({1, 2, 3}), {});
  cache.store(none, ids({1, 2, 4}), {});
  const RadixMatch leaf = tree.match(none, ids({1, 2, 3}));
  const RadixMatch trunk = tree.match(none, ids({1, 2}));
  tree.lock(leaf.node);
  tree.lock(trunk.node);
  CHECK(tree.protected_tokens() == 3);
  CHECK(cache.evict(100) == 1);
  tree.unlock(leaf.node);
  CHECK(tree.protected_tokens() == 2);
  CHECK(cache.evict(100) == 1);
  CHECK(tree.node(trunk.node).is_leaf());
  tree.unlock(trunk.node);
  CHECK(cache.evict(100) == 2);
}

TEST_CASE("S7: eviction takes whole nodes, and a parent when its last child is gone") {
  RadixCache cache = make_cache();
  cache.store(none, ids({1, 2, 3, 4}), {});
  cache.store(none, ids({1, 2, 5}), {});
  CHECK(cache.evict(0) == 0);
  CHECK(cache.evict(1) == 2);
  CHECK(cache.evict(2) == 3);
  CHECK(cache.evict(1) == 0);
}

TEST_CASE("S8: each policy's first victim") {
  const auto victim = [](RadixPolicy policy) {
    RadixCache cache = make_cache(policy);
    // In the order of creation; the last two are read and stored again.
    cache.store(none, ids({1}), {.priority = 1});
    cache.store(none, ids({2}), {.priority = 0});
    cache.store(none, ids({3}), {.priority = 2});
    cache.store(none, ids({4}), {.priority = 2});
    cache.store(none, ids({1}), {.priority = 1});
    cache.store(none, ids({2}), {.priority = 0});
    cache.store(none, ids({4}), {.priority = 2});
    cache.tree().match(none, ids({3}));
    cache.evict(1);
    for (std::uint32_t id = 1; id <= 4; ++id)
      if (cache.tree().match(none, ids({id})).tokens == 0) return id;
    return 0u;
  };
  CHECK(victim(RadixPolicy::lru) == 1);  // access order 1 2 4 3
  CHECK(victim(RadixPolicy::mru) == 3);
  CHECK(victim(RadixPolicy::lfu) == 3);   // one hit, the others two
  CHECK(victim(RadixPolicy::slru) == 3);  // not in the protected segment
  CHECK(victim(RadixPolicy::fifo) == 1);
  CHECK(victim(RadixPolicy::filo) == 4);
  CHECK(victim(RadixPolicy::priority) == 2);
  CHECK(radix_policy("slru") == RadixPolicy::slru);
  CHECK_FALSE(radix_policy("LRU").has_value());
}
