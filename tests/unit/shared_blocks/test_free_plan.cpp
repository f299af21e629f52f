// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/shared_blocks/free_plan.hpp"
#include "tests/support/tries.hpp"

using namespace vacancy;

namespace {

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

/// Six cached blocks of one slot on pages of two: a sequence that ended had 0 to 3, one that is
/// still there has 4 and 5.
struct SmallCache {
  SmallCache() : cache(config(), silent) {
    const ContentId contents[] = {{0}, {1}, {2}, {3}, {4}, {5}};
    const SequenceId ended(0), running(1);
    for (const auto& [id, first, count] :
         {std::tuple(ended, 0u, 4u), std::tuple(running, 4u, 2u)}) {
      cache.start(id, count);
      REQUIRE(cache.append(id, count));
      cache.set_cached(id, 0, 0, std::span(contents).subspan(first, count));
    }
    cache.finish(ended);
    cache.check_invariants();
  }

  static CacheConfig config() {
    CacheConfig config;
    config.block_size = 1;
    config.blocks = 8;
    config.blocks_per_page = 2;
    return config;
  }

  Silent silent;
  KvCache cache;
};

}  // namespace

TEST_CASE("what a cache could give up: blocks that nobody holds, and no block before a held one") {
  const SmallCache small;
  CHECK(small.cache.pool().pages()->mapped() == 3);
  // The running sequence found block 0 and has its own blocks behind it.
  const SharingNode nodes[] = {{no_sharing_parent, 1, 0, 4},
                               {0, 1, 0, 1},
                               {1, 1, 0, 0},
                               {1, 1, 0, 2},
                               {0, 1, 1, 0},
                               {4, 1, 1, 0}};
  const CachedBlocks cached = cached_blocks(nodes, small.cache);
  CHECK(cached.trie.parent == std::vector<std::uint32_t>{no_block, 0, 0});
  // Siblings in the order of their ids; blocks 1, 2, 3.
  CHECK(cached.trie.loss == std::vector<Loss>{1, 0, 2});
  CHECK(cached.free_order == std::vector<std::uint32_t>{2, 1, 0});
  // Block 1 shares its page with block 0, which stays.
  CHECK(cached.pages == Pages{{1, 2}});

  const FreePlan one = free_plan(cached, 1);
  CHECK(one.least->loss == 0);
  CHECK(one.free_order.loss == 2);
  CHECK(one.whole_pages.pages == 0);
  const FreePlan two = free_plan(cached, 2);
  CHECK(two.least->loss == 2);
  CHECK(two.least->pages == 1);
  CHECK(two.bound <= 2);
  const FreePlan all = free_plan(cached, 3);
  CHECK(all.least->loss == 3);
  CHECK(all.bound == 3);
}

TEST_CASE("the loss of a block counts what follows it and stays") {
  CachedBlocks cached;
  cached.trie = test::example_trie();
  cached.free_order = {4, 3, 0, 1, 2, 5, 6, 7};
  CHECK(free_plan(cached, 1).free_order.loss == 3 + 2 + 9 + 5);
  CHECK(free_plan(cached, 1).least->loss == 2);
  CHECK(free_plan(cached, 4).least->loss == 18);
  CHECK(free_plan(cached, 4).cheapest_leaves.loss == 22);
  CHECK(free_plan(cached, 0).least->loss == 0);
}
