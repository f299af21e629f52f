// SPDX-License-Identifier: Apache-2.0
// What policy.hpp promises, held against every registered replacement policy.
#include <catch2/catch.hpp>
#include <set>

#include "tests/support/block_strings.hpp"
#include "tests/support/guarded_entries.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t capacities[] = {1, 2, 3, 5, 8, 13, 21, 34};

/// Calls check(entry, string, seed) for every policy and a few random strings.
template <class Check>
void for_all(Check&& check) {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const ReferenceString string = random_string(seed, 120, seed % 2 == 0 ? 5 : 40, 50);
    for (const ReplacementEntry& entry : replacement_policies()) {
      INFO(entry.info.name << ", seed " << seed);
      check(entry, string);
    }
  }
}

std::unique_ptr<ReplacementPolicy> default_policy(const ReplacementEntry& entry,
                                                  std::uint32_t entries) {
  return entry.make(values_of(entry.info), {entries});
}

}  // namespace

TEST_CASE("a cache never holds more than its capacity, nor a block twice") {
  for_all([](const ReplacementEntry& entry, const ReferenceString& string) {
    for (const std::uint32_t capacity : capacities) {
      const CacheReplay replay{entry.info.name, capacity};
      BlockCache cache(string, replay.options(), entry, values_of(entry.info));
      while (cache.serve()) {
        std::uint32_t cached = 0;
        for (std::uint32_t content = 0; content < string.content_bound(); ++content)
          if (cache.contains(ContentIndex(content))) ++cached;
        REQUIRE(cached == cache.size());
        REQUIRE(cached <= capacity);
      }
      const BlockCacheResult& result = cache.result();
      CHECK(result.hits + result.refusals + result.evictions + result.expirations + cache.size() ==
            result.accesses);
    }
  });
}

TEST_CASE("with room for every block all policies are equal: only first uses miss") {
  for_all([](const ReplacementEntry& entry, const ReferenceString& string) {
    for (const std::uint32_t capacity : {0u, string.unique(), string.unique() + 1}) {
      const BlockCacheResult result = CacheReplay{entry.info.name, capacity}.run(string);
      CHECK(result.accesses - result.hits == string.unique());
      CHECK(result.evictions == 0);
    }
  });
}

TEST_CASE("the same string gives the same hits") {
  for_all([](const ReplacementEntry& entry, const ReferenceString& string) {
    const CacheReplay replay{entry.info.name, 13};
    CHECK(replay.pattern(string) == replay.pattern(string));
  });
}

TEST_CASE("nothing beats Belady with bypass, in either order of touches") {
  for_all([](const ReplacementEntry& entry, const ReferenceString& string) {
    for (const TouchOrder touch : {TouchOrder::forward, TouchOrder::reverse})
      for (const std::uint32_t capacity : capacities) {
        const auto hits = [&](const std::string& policy, const ParameterValues& parameters) {
          return CacheReplay{policy, capacity, parameters, HitCount::any, touch}.run(string).hits;
        };
        CHECK(hits(entry.info.name, {}) <= hits("belady", {}));
        CHECK(hits("belady", {{"bypass", false}}) <= hits("belady", {}));
      }
  });
}

TEST_CASE("a victim is in reach, and there is one exactly if an entry is") {
  constexpr std::uint32_t entries = 24;
  for (const ReplacementEntry& entry : replacement_policies())
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      INFO(entry.info.name << ", seed " << seed);
      GuardedEntries engine(default_policy(entry, entries), entries, 60, seed);
      const auto check = [&](std::optional<std::uint32_t> victim) {
        bool any = false;
        for (std::uint32_t id = 0; id < entries; ++id)
          any = any || engine.in_reach(id);
        REQUIRE(victim.has_value() == any);
        if (victim) REQUIRE(engine.in_reach(*victim));
      };
      for (int step = 0; step < 4000; ++step)
        engine.step(check);

      // Without pins everything can go, children before parents, each entry once.
      engine.unpin_all();
      std::set<std::uint32_t> cached, gone;
      for (std::uint32_t id = 0; id < entries; ++id)
        if (engine.entries()[id].cached) cached.insert(id);
      while (const auto victim = engine.evict(check, 0))
        CHECK(gone.insert(*victim).second);
      CHECK(gone == cached);
    }
}

TEST_CASE("a pin that ends before anyone looks leaves no trace") {
  constexpr std::uint32_t entries = 12;
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    const auto plain = default_policy(entry, entries), pinned = default_policy(entry, entries);
    std::vector<bool> cached(entries, false);
    for (std::uint32_t now = 0; now < 3000; ++now) {
      const auto draw = philox4x32_10({now, 0, 0, 0}, {5, 6});
      BlockAccess access;
      access.content = ContentIndex(draw[1] % 30);
      access.next_use = now + draw[3] % 50;
      EntryId id(draw[0] % entries);
      if (cached[id.value()]) {
        // Two pins that overlap and end in another order than they began.
        const EntryId other((id.value() + 1 + draw[2] % (entries - 1)) % entries);
        pinned->pinned(id);
        if (cached[other.value()]) pinned->pinned(other);
        pinned->unpinned(id);
        if (cached[other.value()]) pinned->unpinned(other);
        if (draw[2] % 3 == 0) continue;
        plain->hit(id, access);
        pinned->hit(id, access);
        continue;
      }
      if (std::count(cached.begin(), cached.end(), true) == entries / 2) {
        const auto victim = plain->victim(access);
        REQUIRE(pinned->victim(access) == victim);
        for (ReplacementPolicy* policy : {plain.get(), pinned.get()})
          policy->removed(*victim, Removal::evicted);
        cached[victim->value()] = false;
      }
      for (ReplacementPolicy* policy : {plain.get(), pinned.get()})
        policy->inserted(id, access);
      cached[id.value()] = true;
    }
  }
}

TEST_CASE("blocks whose contents are not known can come and go") {
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    const auto policy = default_policy(entry, 3);
    for (std::uint32_t i = 0; i < 3; ++i)
      policy->inserted(EntryId(i), {});
    for (int i = 0; i < 20; ++i) {
      const auto victim = policy->victim({});
      REQUIRE(victim);
      policy->removed(*victim, Removal::evicted);
      policy->inserted(*victim, {});
      policy->hit(*victim, {});
      policy->released(*victim);
    }
  }
}

TEST_CASE("two blocks with the same contents can be cached and evicted") {
  for (const ReplacementEntry& entry : replacement_policies()) {
    INFO(entry.info.name);
    const auto policy = default_policy(entry, 4);
    BlockAccess access;
    for (std::uint32_t i = 0; i < 4; ++i) {
      access.content = ContentIndex(i / 2);
      policy->inserted(EntryId(i), access);
    }
    for (std::uint32_t i = 0; i < 20; ++i) {
      access.content = ContentIndex(i % 3);
      const auto victim = policy->victim(access);
      REQUIRE(victim);
      policy->removed(*victim, Removal::evicted);
      policy->inserted(*victim, access);
    }
  }
}
