// SPDX-License-Identifier: Apache-2.0
// The radix tree's host tier (spec engines S14) on small trees by hand.
#include <catch2/catch.hpp>
#include <memory>

#include "tests/support/radix_tools.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct TwoTiers {
  TwoTiers(HostWrite write, std::uint32_t device, std::uint32_t host, std::uint32_t threshold = 1)
      : cache({.host = {host, write, threshold}}, std::make_unique<TokenSlotAllocator>(device)) {}

  void store(const TokenRuns& tokens) {
    REQUIRE(cache.store({}, tokens, {}).ok);
    cache.tree().check_invariants();
  }
  void evict(std::uint64_t tokens) {
    cache.evict(tokens);
    cache.tree().check_invariants();
  }
  /// Tokens found on the device and on the host.
  std::pair<std::uint32_t, std::uint32_t> find(const TokenRuns& tokens) {
    const RadixMatch match = cache.tree().match({}, tokens);
    return {match.tokens, match.host_tokens};
  }
  const HostTier::Counts& counts() const { return cache.tree().host()->counts(); }
  std::uint64_t on_host() const { return cache.tree().host()->used(); }

  RadixCache cache;
};

using Found = std::pair<std::uint32_t, std::uint32_t>;

}  // namespace

TEST_CASE("S14: write_through copies what is inserted, selective what is inserted again") {
  TwoTiers all(HostWrite::write_through, 100, 100);
  all.store(ids({1, 2, 3}));
  CHECK(all.on_host() == 3);

  TwoTiers some(HostWrite::write_through_selective, 100, 100);
  some.store(ids({1, 2, 3}));
  CHECK(some.on_host() == 0);
  some.store(ids({1, 2, 4}));  // the second time for 1, 2
  CHECK(some.on_host() == 2);
  CHECK(some.cache.store({}, ids({1, 2, 3}), {0, true}).ok);  // a part of a prompt does not count
  CHECK(some.on_host() == 2);
  some.evict(100);
  CHECK(some.find(ids({1, 2, 3})) == Found(0, 2));
  CHECK(some.find(ids({1, 2, 4})) == Found(0, 2));
}

TEST_CASE("S14: write_back copies what the device gives up, and only then") {
  TwoTiers tiers(HostWrite::write_back, 100, 100);
  tiers.store(ids({1, 2, 3}));
  tiers.store(ids({1, 2, 3}));
  CHECK(tiers.on_host() == 0);
  tiers.evict(1);
  CHECK(tiers.on_host() == 3);
  CHECK(tiers.find(ids({1, 2, 9})) == Found(0, 2));
  tiers.cache.tree().check_invariants();
}

TEST_CASE("S14: a found prefix comes back whole, and then both have it") {
  TwoTiers tiers(HostWrite::write_through, 10, 100);
  tiers.store(ids({1, 2}));
  tiers.store(ids({1, 2, 3, 4}));
  tiers.store(ids({1, 2, 3, 4, 5}));
  tiers.evict(2);  // the last node, and then the one before it
  REQUIRE(tiers.find(ids({1, 2, 3, 4, 5})) == Found(2, 3));

  RadixRequest request;
  request.tokens = ids({1, 2, 3, 4, 5, 6});
  CHECK(tiers.cache.look_up(request) == 2);
  CHECK(request.host_tokens == 3);
  CHECK(tiers.cache.make_room_to_load(request) == 0);
  REQUIRE(tiers.cache.load_back(request));
  tiers.cache.tree().check_invariants();
  CHECK(request.protected_tokens == 5);
  CHECK(request.slots.size() == 5);
  CHECK(tiers.cache.tree().protected_tokens() == 5);
  CHECK(tiers.counts().loaded == 3);
  CHECK(tiers.on_host() == 5);
  tiers.cache.abandon(request);
  CHECK(tiers.find(ids({1, 2, 3, 4, 5})) == Found(5, 0));
}

TEST_CASE("S14: below the threshold nothing is loaded, and a request's own tokens take the place") {
  TwoTiers tiers(HostWrite::write_through, 10, 100, 4);
  tiers.store(ids({1, 2, 3}));
  tiers.evict(3);
  RadixRequest request;
  request.tokens = ids({1, 2, 3, 4});
  CHECK(tiers.cache.look_up(request) == 0);
  CHECK(request.host_tokens == 0);
  REQUIRE(tiers.cache.allocate(request));
  tiers.cache.finish(request, true);
  tiers.cache.tree().check_invariants();
  CHECK(tiers.find(ids({1, 2, 3, 4})) == Found(4, 0));
  CHECK(tiers.counts().loaded == 0);
  CHECK(tiers.counts().written == 4);  // the three were there
}

TEST_CASE("S14: the host gives up whole leaves that the device has given up, oldest first") {
  TwoTiers tiers(HostWrite::write_through, 100, 6);
  tiers.store(ids({1, 2, 3}));
  tiers.store(ids({4, 5}));
  tiers.evict(5);
  tiers.store(ids({7, 8, 9}));  // one token is free: [1, 2, 3] goes, which is enough
  CHECK(tiers.find(ids({1, 2, 3})) == Found(0, 0));
  CHECK(tiers.find(ids({4, 5})) == Found(0, 2));
  CHECK(tiers.counts().evicted == 3);
  // What the device still has stays: there is room for nothing more than 1 + 2 tokens.
  tiers.store(ids({10, 11, 12, 13}));
  CHECK(tiers.find(ids({7, 8, 9})) == Found(3, 0));
  tiers.evict(100);
  CHECK(tiers.find(ids({7, 8, 9})) == Found(0, 3));
  CHECK(tiers.find(ids({10, 11, 12, 13})) == Found(0, 0));
}

TEST_CASE("S14: what cannot be copied takes with it what only the host has below it") {
  TwoTiers tiers(HostWrite::write_back, 100, 2);
  tiers.store(ids({1, 2, 3}));
  tiers.store(ids({1, 2, 3, 4, 5}));
  tiers.evict(2);
  REQUIRE(tiers.find(ids({1, 2, 3, 4, 5})) == Found(3, 2));
  tiers.evict(3);  // larger than the host
  CHECK(tiers.find(ids({1, 2, 3, 4, 5})) == Found(0, 0));
  CHECK(tiers.cache.tree().size() == 0);
  CHECK(tiers.on_host() == 0);
}

TEST_CASE("S14: making room for a prefix does not push it off the host") {
  // The device is full of what write_back wants to copy, and the host of what is to come back.
  TwoTiers tiers(HostWrite::write_back, 4, 4);
  tiers.store(ids({1, 2, 3, 4}));
  tiers.evict(4);
  tiers.store(ids({5, 6, 7, 8}));
  RadixRequest request;
  request.tokens = ids({1, 2, 3, 4, 9});
  CHECK(tiers.cache.look_up(request) == 0);
  CHECK(tiers.cache.make_room_to_load(request) == 4);
  REQUIRE(tiers.cache.load_back(request));
  tiers.cache.tree().check_invariants();
  tiers.cache.abandon(request);
  CHECK(tiers.find(ids({5, 6, 7, 8})) == Found(0, 0));
}
