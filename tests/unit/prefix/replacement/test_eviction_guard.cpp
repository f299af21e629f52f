// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "sim/prefix/replacement/registry.hpp"
#include "tests/support/guarded_entries.hpp"
#include "tests/support/parameter_values.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<ReplacementPolicy> policy_of(const std::string& name, std::uint32_t entries,
                                             const ParameterValues& parameters = {}) {
  const ReplacementEntry* entry = find_replacement(name);
  REQUIRE(entry);
  return entry->make(values_of(entry->info, parameters), {entries});
}

std::optional<std::uint32_t> victim_of(EvictionGuard& guard) {
  const auto victim = guard.victim({});
  return victim ? std::optional(victim->value()) : std::nullopt;
}

using Rank = std::vector<std::uint64_t>;
using RankOf = std::function<Rank(const GuardedEntries::Entry&)>;

/// Random events; each victim must be the one that a search over the entries in reach finds.
void compare_with_search(const std::string& policy, const RankOf& rank,
                         const ParameterValues& parameters = {}) {
  constexpr std::uint32_t entries = 40;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    INFO(policy << ", seed " << seed);
    GuardedEntries engine(policy_of(policy, entries, parameters), entries, 100, seed);
    int victims = 0;
    const auto check = [&](std::optional<std::uint32_t> victim) {
      std::optional<std::uint32_t> least;
      for (std::uint32_t id = 0; id < entries; ++id)
        if (engine.in_reach(id) &&
            (!least || rank(engine.entries()[id]) < rank(engine.entries()[*least])))
          least = id;
      REQUIRE(victim == least);
      if (victim) ++victims;
    };
    for (int step = 0; step < 6000; ++step)
      engine.step(check);
    CHECK(victims > 500);
  }
}

}  // namespace

TEST_CASE("among pins and chains the victim is the first in order that is in reach") {
  using Entry = GuardedEntries::Entry;
  compare_with_search("lru", [](const Entry& e) { return Rank{e.used}; });
  compare_with_search("fifo", [](const Entry& e) { return Rank{e.inserted}; });
  compare_with_search("mru", [](const Entry& e) { return Rank{~e.used}; });
  compare_with_search("filo", [](const Entry& e) { return Rank{~e.inserted}; });
  compare_with_search("lfu", [](const Entry& e) { return Rank{e.uses, e.used}; });
  compare_with_search("length_aware", [](const Entry& e) {
    return Rank{e.uses, e.position, e.used};
  });
  compare_with_search("priority", [](const Entry& e) {
    return Rank{static_cast<std::uint64_t>(e.priority + 1000), e.used};
  });
  // SGLang's rule: used twice, then recency.
  compare_with_search("slru",
                      [](const Entry& e) {
                        return Rank{std::uint64_t{e.uses >= 2}, e.used};
                      },
                      {{"protected_share", 1.0}});
}

// vLLM's order: blocks leave the queue while a request uses them and are appended when it frees
// them, last block first (spec engines V9, V10).
TEST_CASE("lru: recency counts from the release, so the tail of a request goes first") {
  EvictionGuard guard(policy_of("lru", 4), 4);
  for (const std::uint32_t id : {0u, 1u, 2u}) {
    guard.inserted(EntryId(id), {});
    guard.pin(EntryId(id));
  }
  guard.inserted(EntryId(3), {});
  for (const std::uint32_t id : {2u, 1u, 0u}) {
    guard.released(EntryId(id));
    guard.unpin(EntryId(id));
  }
  for (const std::uint32_t id : {3u, 2u, 1u, 0u}) {
    CHECK(victim_of(guard) == id);
    guard.removed(EntryId(id), Removal::evicted);
  }
  CHECK(victim_of(guard) == std::nullopt);
}

TEST_CASE("pins nest: an entry is in reach when the last one is gone, at its old place") {
  EvictionGuard guard(policy_of("lru", 2), 2);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(1), {});
  guard.pin(EntryId(0));
  guard.pin(EntryId(0));
  CHECK(victim_of(guard) == 1u);
  guard.unpin(EntryId(0));
  CHECK(victim_of(guard) == 1u);
  CHECK(guard.pins(EntryId(0)) == 1);
  guard.unpin(EntryId(0));
  CHECK(victim_of(guard) == 0u);
}

// 0 <- 1 <- {2, 3}; 0 was used longest ago, but only leaves may go.
TEST_CASE("chain order: a block goes after the blocks behind it") {
  EvictionGuard guard(policy_of("lru", 4), 4);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(1), {}, EntryId(0));
  guard.inserted(EntryId(2), {}, EntryId(1));
  guard.inserted(EntryId(3), {}, EntryId(1));
  CHECK(guard.children(EntryId(1)) == 2);
  for (const std::uint32_t id : {2u, 3u, 1u, 0u}) {
    CHECK(victim_of(guard) == id);
    guard.removed(EntryId(id), Removal::evicted);
  }
}

// SGLang's tree splits a node: 0 <- 1 becomes 0 <- 2 <- 1.
TEST_CASE("chain order: an entry can be hung under another parent") {
  EvictionGuard guard(policy_of("lru", 3), 3);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(1), {}, EntryId(0));
  guard.inserted(EntryId(2), {}, EntryId(0));
  guard.set_parent(EntryId(1), EntryId(2));
  for (const std::uint32_t id : {1u, 2u, 0u}) {
    CHECK(victim_of(guard) == id);
    guard.removed(EntryId(id), Removal::evicted);
  }
}

TEST_CASE("ttl: what is pinned or has children outlives its deadline") {
  EvictionGuard guard(policy_of("ttl", 3, {{"seconds", 1.0}}), 3);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(1), {}, EntryId(0));
  guard.pin(EntryId(1));
  const SimTime late(5'000'000'000);
  CHECK_FALSE(guard.expired(late));
  guard.unpin(EntryId(1));
  CHECK(guard.expired(SimTime(999'999'999)) == std::nullopt);
  REQUIRE(guard.expired(late) == EntryId(1));
  guard.removed(EntryId(1), Removal::dropped);
  CHECK(guard.expired(late) == EntryId(0));
}

TEST_CASE("children of an entry that was dropped hang on nothing, whatever comes in its place") {
  EvictionGuard guard(policy_of("fifo", 3), 3);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(1), {}, EntryId(0));
  guard.pin(EntryId(0));
  guard.removed(EntryId(0), Removal::dropped);
  guard.inserted(EntryId(0), {});
  guard.inserted(EntryId(2), {}, EntryId(0));
  CHECK(guard.children(EntryId(0)) == 1);
  REQUIRE(guard.victim({}) == EntryId(1));
  guard.removed(EntryId(1), Removal::evicted);
  CHECK(guard.children(EntryId(0)) == 1);  // its own child's
  CHECK(guard.victim({}) == EntryId(2));
}
