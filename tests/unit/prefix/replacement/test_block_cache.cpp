// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/support/block_strings.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Keeps all that an observer hears.
struct Record final : BlockCacheObserver {
  void missed(const BlockMiss& miss) override { misses.push_back(miss); }
  void served(const RequestOutcome& outcome) override { outcomes.push_back(outcome); }
  std::vector<BlockMiss> misses;
  std::vector<RequestOutcome> outcomes;
};

/// Most hits that any choice of admissions and victims gives: tries all.
std::uint32_t best_hits(std::span<const ContentIndex> rest, std::vector<std::uint32_t> cached,
                        std::uint32_t capacity) {
  if (rest.empty()) return 0;
  const std::uint32_t content = rest.front().value();
  rest = rest.subspan(1);
  if (std::find(cached.begin(), cached.end(), content) != cached.end())
    return 1 + best_hits(rest, cached, capacity);
  std::uint32_t best = best_hits(rest, cached, capacity);  // not admitted
  if (cached.size() < capacity) {
    cached.push_back(content);
    return std::max(best, best_hits(rest, cached, capacity));
  }
  for (std::uint32_t& place : cached) {
    const std::uint32_t before = std::exchange(place, content);
    best = std::max(best, best_hits(rest, cached, capacity));
    place = before;
  }
  return best;
}

}  // namespace

// Capacity 3. After [abc] all are cached. [dbc] touched forward: d puts out a, b and c are hits.
TEST_CASE("any counts each cached block at its touch, leading only the unbroken start") {
  const auto string = string_of({{"abc"}, {"dbc"}, {"dbx"}});
  const auto any = CacheReplay{"lru", 3, {}, HitCount::any}.run(string);
  CHECK(any.hits == 2 + 2);
  const auto leading = CacheReplay{"lru", 3, {}, HitCount::leading}.run(string);
  CHECK(leading.hits == 0 + 2);
  CHECK(leading.accesses == 9);
}

// Capacity 2, [abc] twice. Forward c puts out a, a puts out b, ...: nothing is ever hit. Reverse
// leaves a and b, and the next request arrives to both.
TEST_CASE("reverse touches keep the start of a request that does not fit") {
  const auto string = string_of({{"abc"}, {"abc"}});
  const auto hits = [&](HitCount count, TouchOrder touch) {
    return CacheReplay{"lru", 2, {}, count, touch}.run(string).hits;
  };
  CHECK(hits(HitCount::any, TouchOrder::forward) == 0);
  CHECK(hits(HitCount::leading, TouchOrder::forward) == 0);
  CHECK(hits(HitCount::any, TouchOrder::reverse) == 0);  // c puts out b, then b puts out a
  CHECK(hits(HitCount::leading, TouchOrder::reverse) == 2);
}

TEST_CASE("ratios by blocks, by tokens and by request") {
  ReferenceString string({512, 512, true});
  const std::vector<std::uint64_t> first = {1, 2}, second = {1, 2, 3};
  string.add({first, 1000, {}, 0});
  string.add({first, 1000, {}, 0});
  string.add({second, 1300, {}, 0});
  string.add({{}, 0, {}, 0});
  const BlockCacheResult result = CacheReplay{"lru", 0}.run(string);
  CHECK(result.requests == 4);
  CHECK(result.requests_with_blocks == 3);
  CHECK(result.hits == 4);
  CHECK(result.unique == 3);
  CHECK(result.hit_tokens == 1000 + 1024);  // 2 x 512 is more than the request has
  CHECK(*result.hit_ratio() == Approx(4.0 / 7));
  CHECK(*result.token_hit_ratio() == Approx(2024.0 / 3300));
  CHECK(*result.mean_request_hit_ratio() == Approx((0 + 1 + 2.0 / 3) / 3));
}

TEST_CASE("an empty string has no ratios") {
  const BlockCacheResult result = CacheReplay{"lru", 4}.run(ReferenceString({1, 1, true}));
  CHECK(result.accesses == 0);
  CHECK_FALSE(result.hit_ratio());
  CHECK_FALSE(result.token_hit_ratio());
  CHECK_FALSE(result.mean_request_hit_ratio());
}

TEST_CASE("the observer hears why a block is missing and since which request") {
  const auto string = string_of({{"ab"}, {"c"}, {"axb"}});
  Record record;
  CacheReplay{"lru", 2}.run(string, &record);
  // Request 1 puts out a; in request 2 a puts out b, x puts out c, b puts out a.
  REQUIRE(record.misses.size() == 6);
  const auto check = [&](std::size_t i, std::uint32_t request, std::uint32_t position,
                         MissReason reason, std::uint32_t lost_during) {
    INFO(i);
    CHECK(record.misses[i].request == request);
    CHECK(record.misses[i].position == position);
    CHECK(record.misses[i].reason == reason);
    CHECK(record.misses[i].lost_during == lost_during);
  };
  check(0, 0, 0, MissReason::never_seen, 0);
  check(1, 0, 1, MissReason::never_seen, 0);
  check(2, 1, 0, MissReason::never_seen, 1);
  check(3, 2, 0, MissReason::evicted, 1);
  check(4, 2, 1, MissReason::never_seen, 2);
  check(5, 2, 2, MissReason::evicted, 2);
}

TEST_CASE("the observer hears of expired and refused blocks") {
  Record expired;
  CacheReplay{"ttl", 0, {{"seconds", 10.0}}}.run(string_of({{"a", 0}, {"b", 15}, {"a", 20}}),
                                                 &expired);
  REQUIRE(expired.misses.size() == 3);
  CHECK(expired.misses[2].reason == MissReason::expired);
  CHECK(expired.misses[2].lost_during == 1);

  Record refused;
  CacheReplay{"belady", 1}.run(string_of("abab"), &refused);  // a stays: b's next use is further
  REQUIRE(refused.misses.size() == 3);
  CHECK(refused.misses[2].content == ContentIndex(1));
  CHECK(refused.misses[2].reason == MissReason::refused);
  CHECK(refused.misses[2].lost_during == 1);
}

TEST_CASE("an outcome says how far a prompt was cached and how far it was known") {
  const auto string = string_of({{"abcd"}, {"abxy"}, {"z"}, {"abcq"}});
  Record record;
  CacheReplay{"lru", 5, {}, HitCount::leading, TouchOrder::reverse}.run(string, &record);
  REQUIRE(record.outcomes.size() == 4);
  // Last to first: d c b a; then y x puts out d, b, a; z puts out c. q puts out y.
  const RequestOutcome& last = record.outcomes[3];
  CHECK(last.request == 3);
  CHECK(last.blocks == 4);
  CHECK(last.leading == 2);    // c is gone
  CHECK(last.first_new == 3);  // but was there once; q is where the prompts differ
  CHECK(last.hits == 2);
  CHECK(record.outcomes[1].first_new == 2);
  CHECK(record.outcomes[0].first_new == 0);
}

TEST_CASE("an observer changes nothing") {
  const ReferenceString string = random_string(3, 200, 10, 40);
  for (const ReplacementEntry& entry : replacement_policies()) {
    Record record;
    const CacheReplay replay{entry.info.name, 9};
    CHECK(replay.run(string, &record).hits == replay.run(string).hits);
  }
}

TEST_CASE("LRU caches are nested: a larger one holds all that a smaller one holds") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const ReferenceString string = random_string(seed, 150, 8, 40);
    for (const std::uint32_t capacity : {1u, 4u, 11u}) {
      const CacheReplay small{"lru", capacity}, large{"lru", capacity + 1};
      const auto values = values_of(small.entry().info);
      BlockCache a(string, small.options(), small.entry(), values);
      BlockCache b(string, large.options(), large.entry(), values);
      while (a.serve() && b.serve())
        for (std::uint32_t content = 0; content < string.content_bound(); ++content)
          CHECK((!a.contains(ContentIndex(content)) || b.contains(ContentIndex(content))));
    }
  }
}

// FIFO is no stack algorithm: Belady's anomaly (Belady, Nelson, Shedler, CACM 12(6), 1969).
TEST_CASE("FIFO can lose hits to a larger cache") {
  const auto string = string_of("abcdabeabcde");
  CHECK(CacheReplay{"fifo", 3}.run(string).hits == 3);
  CHECK(CacheReplay{"fifo", 4}.run(string).hits == 2);
}

TEST_CASE("Belady with bypass has the most hits that any choice gives") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const ReferenceString string = random_string(seed, 11, 1, 6);
    for (const std::uint32_t capacity : {1u, 2u, 3u}) {
      INFO("seed " << seed << ", capacity " << capacity);
      CHECK(CacheReplay{"belady", capacity}.run(string).hits ==
            best_hits(string.contents(), {}, capacity));
    }
  }
}

// Two tenants say the same letters; quotas and books hold after every request.
TEST_CASE("quotas: tenants share nothing, and each stays within its own", "[property]") {
  for (const ReplacementEntry& policy : replacement_policies()) {
    INFO(policy.info.name);
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const ReferenceString plain = random_string(seed, 80, 6, 20);
      ReferenceString both({1, 1, true});
      for (std::uint32_t request = 0; request < plain.requests(); ++request) {
        const auto& one = plain.request(request);
        std::vector<std::uint64_t> keys;
        for (std::uint64_t i = one.first_block; i < plain.end_block(request); ++i)
          keys.push_back(plain.contents()[i].value());
        for (const std::uint32_t tenant : {7u, 3u})
          both.add({keys, one.tokens, one.arrival, one.priority, tenant});
      }
      CHECK(both.unique() == 2 * plain.unique());
      CHECK(both.tenants() == 2);
      for (const std::uint32_t capacity : {10u, 64u}) {
        BlockCacheOptions options;
        options.capacity = capacity;
        options.tenant_quota = 8;
        BlockCache cache(both, options, policy, values_of(policy.info));
        while (cache.serve()) {
          REQUIRE(cache.size_of(0) <= 8);
          REQUIRE(cache.size_of(1) <= 8);
          REQUIRE(cache.size_of(0) + cache.size_of(1) == cache.size());
          REQUIRE(cache.size() <= capacity);
        }
        CHECK(cache.result().evictions > 0);
      }
    }
  }
}

// Where the pool never fills, a tenant has a cache of its quota for itself: two have twice the
// hits of one.
TEST_CASE("quotas: a tenant's own blocks go in the policy's order among them") {
  const std::vector<LetterRequest> requests = {{"abc"}, {"bd"}, {"ace"}, {"da"}, {"b"}, {"cab"}};
  ReferenceString both({1, 1, true});
  for (const LetterRequest& request : requests)
    for (const std::uint32_t tenant : {1u, 2u}) {
      const std::vector<std::uint64_t> keys(request.blocks.begin(), request.blocks.end());
      both.add({keys, static_cast<std::uint32_t>(keys.size()), SimTime(), 0, tenant});
    }
  for (const char* policy : {"lru", "lfu", "fifo", "mru", "filo"}) {
    INFO(policy);
    BlockCacheOptions options;
    options.tenant_quota = 3;
    const ReplacementEntry& entry = *find_replacement(policy);
    const auto result = replay_blocks(both, options, entry, values_of(entry.info));
    const auto one = CacheReplay{policy, 3}.run(string_of(requests));
    CHECK(result.hits == 2 * one.hits);
    CHECK(result.evictions == 2 * one.evictions);
    CHECK(result.evictions > 0);
  }
}
