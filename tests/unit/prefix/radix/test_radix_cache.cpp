// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using vacancy::test::flat;
using vacancy::test::ids;
using vacancy::test::none;
using Numbers = std::vector<std::uint32_t>;

namespace {

RadixRequest request(const TokenRuns& tokens) {
  RadixRequest made;
  made.tokens = tokens;
  return made;
}

RadixCache token_cache(std::uint32_t slots, bool evict_shortfall_only = false) {
  return {{.evict_shortfall_only = evict_shortfall_only},
          std::make_unique<TokenSlotAllocator>(slots)};
}

}  // namespace

TEST_CASE("S10: a request hits all cached tokens but its last, cut to whole pages") {
  RadixCache cache = token_cache(32);
  cache.store(none, ids({1, 2, 3, 4}), {});
  RadixRequest same = request(ids({1, 2, 3, 4}));
  CHECK(cache.begin(same).matched == 3);

  RadixCache paged({.page_size = 2}, std::make_unique<PagedSlotAllocator>(32, 2));
  paged.store(none, ids({1, 2, 3, 4}), {});
  RadixRequest cut = request(ids({1, 2, 3, 4}));
  CHECK(paged.begin(cut).matched == 2);
}

TEST_CASE("S5: a request that caches what another cached meanwhile goes on with its slots") {
  RadixCache cache = token_cache(12);
  RadixRequest a = request(ids({1, 2, 3})), b = request(ids({1, 2, 3, 4}));
  REQUIRE(cache.begin(a).ok);
  REQUIRE(cache.begin(b).ok);
  CHECK(flat(b.slots) == Numbers{4, 5, 6, 7});
  cache.unfinished(a, false);
  cache.unfinished(b, false);
  CHECK(flat(b.slots) == Numbers{1, 2, 3, 7});
  CHECK(b.protected_tokens == 4);
  CHECK(flat(cache.allocator().free_list()) == Numbers{8, 9, 10, 11, 12, 4, 5, 6});
  cache.finish(a, true);
  cache.finish(b, true);
  CHECK(cache.tree().protected_tokens() == 0);
  CHECK(cache.tree().evictable_tokens() == 4);
}

TEST_CASE("S5: the end of a request gives back duplicates, then the tail that fills no page") {
  RadixCache cache({.page_size = 2}, std::make_unique<PagedSlotAllocator>(12, 2));
  RadixRequest a = request(ids({1, 2, 3})), b = request(ids({1, 2, 4}));
  REQUIRE(cache.begin(a).ok);
  REQUIRE(cache.begin(b).ok);
  cache.finish(a, true);
  CHECK(flat(cache.allocator().free_list()) == Numbers{2, 5, 6});
  cache.finish(b, true);
  // The duplicate page 3, then the tail's page 4 in front of it.
  CHECK(flat(cache.allocator().free_list()) == Numbers{4, 3, 2, 5, 6});
  CHECK(cache.tree().evictable_tokens() == 2);
}

TEST_CASE("S13: a request that ends without insertion leaves nothing but its hit") {
  RadixCache cache = token_cache(8);
  cache.store(none, ids({1, 2}), {});
  RadixRequest a = request(ids({1, 2, 3, 4}));
  REQUIRE(cache.begin(a).ok);
  cache.finish(a, false);
  CHECK(cache.tree().evictable_tokens() == 2);
  CHECK(flat(cache.allocator().free_list()) == Numbers{5, 6, 7, 8, 3, 4});
}

TEST_CASE("a failed begin leaves the lookup's split and times, and nothing else") {
  RadixCache cache = token_cache(5);
  cache.store(none, ids({1, 2, 3}), {});
  RadixRequest a = request(ids({1, 2, 4, 5, 6, 7}));
  const auto begun = cache.begin(a);
  CHECK_FALSE(begun.ok);
  CHECK(begun.matched == 2);
  CHECK(cache.tree().size() == 2);
  CHECK(cache.tree().protected_tokens() == 0);
  CHECK(cache.allocator().available() == 2);
  CHECK(a.slots.empty());
}

TEST_CASE("slots taken ahead are used by extend, and go back if they are not") {
  RadixCache cache = token_cache(8);
  RadixRequest a = request(ids({1, 2}));
  cache.look_up(a);
  REQUIRE(cache.allocate(a, 4));
  CHECK(cache.allocator().available() == 2);
  REQUIRE(cache.extend(a, ids({3})));
  CHECK(cache.allocator().available() == 2);
  CHECK_FALSE(cache.extend(a, ids({4, 5, 6, 7, 8, 9})));
  CHECK(a.tokens.size() == 3);
  cache.finish(a, true);
  CHECK(cache.tree().evictable_tokens() == 3);
  CHECK(cache.allocator().available() == 5);
}

TEST_CASE("S11: the snapshot evicts all that is asked for, later versions the shortfall") {
  const auto left = [](bool shortfall_only) {
    RadixCache cache = token_cache(10, shortfall_only);
    for (const std::uint32_t id : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u})
      cache.store(none, ids({id}), {});
    CHECK(cache.make_room(2) == 0);
    cache.make_room(5);
    return cache.tree().evictable_tokens();
  };
  CHECK(left(false) == 3);
  CHECK(left(true) == 5);
}
