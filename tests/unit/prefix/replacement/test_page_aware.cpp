// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "sim/prefix/replacement/registry.hpp"
#include "tests/support/guarded_entries.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<ReplacementPolicy> page_aware(std::uint32_t entries, std::uint32_t per_page) {
  return find_replacement("page_aware")->make({}, {entries, per_page});
}
std::unique_ptr<ReplacementPolicy> lru(std::uint32_t entries) {
  return find_replacement("lru")->make({}, {entries});
}

std::vector<std::uint32_t> victims_of(std::unique_ptr<ReplacementPolicy> policy,
                                      std::uint64_t seed) {
  GuardedEntries engine(std::move(policy), 24, 60, seed);
  std::vector<std::uint32_t> victims;
  for (int step = 0; step < 4000; ++step)
    engine.step([&](std::optional<std::uint32_t> victim) {
      if (victim) victims.push_back(*victim);
    });
  return victims;
}

std::size_t pages_with(const std::set<std::uint32_t>& entries, std::uint32_t per_page) {
  std::set<std::uint32_t> pages;
  for (const std::uint32_t entry : entries)
    pages.insert(entry / per_page);
  return pages.size();
}

}  // namespace

TEST_CASE("page_aware: where a page is a block, or pages are not counted, it is lru") {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    const auto order = victims_of(lru(24), seed);
    CHECK(order.size() > 500);
    CHECK(victims_of(page_aware(24, 1), seed) == order);
    CHECK(victims_of(page_aware(24, 0), seed) == order);
    CHECK(victims_of(page_aware(24, 4), seed) != order);
  }
}

TEST_CASE("page_aware: the oldest block that may go, of the page used longest ago that has one") {
  struct Entry {
    bool cached = false, pinned = false;
    std::uint64_t used = 0;
  };
  constexpr std::uint32_t entries = 22, per_page = 4;  // the last page is short
  for (std::uint32_t seed = 0; seed < 5; ++seed) {
    Random random(seed);
    const auto policy = page_aware(entries, per_page);
    std::vector<Entry> model(entries);
    std::vector<std::uint64_t> page_used(6);
    std::uint32_t victims = 0;
    for (std::uint64_t now = 1; now < 8000; ++now) {
      const std::uint32_t id = random.below(entries);
      Entry& entry = model[id];
      const auto use = [&] { entry.used = page_used[id / per_page] = now; };
      const std::uint32_t what = random.below(8);
      if (!entry.cached) {
        entry = {true, false, 0};
        use();
        policy->inserted(EntryId(id), {});
      } else if (what < 2) {
        use();
        policy->hit(EntryId(id), {});
      } else if (what < 3) {
        use();
        policy->released(EntryId(id));
      } else if (what < 5) {
        entry.pinned ? policy->unpinned(EntryId(id)) : policy->pinned(EntryId(id));
        entry.pinned = !entry.pinned;
      } else if (what < 6) {
        policy->removed(EntryId(id), Removal::dropped);
        entry.cached = false;
      } else {
        std::optional<std::uint32_t> expected;
        const auto order = [&](std::uint32_t of) {
          return std::pair(page_used[of / per_page], model[of].used);
        };
        for (std::uint32_t other = 0; other < entries; ++other)
          if (model[other].cached && !model[other].pinned &&
              (!expected || order(other) < order(*expected)))
            expected = other;
        const auto victim = policy->victim({});
        REQUIRE(victim.has_value() == expected.has_value());
        if (!victim) continue;
        REQUIRE(victim->value() == *expected);
        policy->removed(*victim, Removal::evicted);
        model[*expected].cached = false;
        ++victims;
      }
    }
    CHECK(victims > 500);
  }
}

// Both empty pages in the order of their last use, page_aware one page after the other: what lru
// empties by its k-th victim, page_aware has emptied too. Pins break this, since a page with one
// may be drained and still not be empty.
TEST_CASE("page_aware: without uses and pins in between it never leaves more pages than lru",
          "[property]") {
  Random random(3);
  std::uint32_t fewer = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const std::uint32_t per_page = random.of({2u, 4u, 16u}), entries = per_page * 8;
    const auto by_page = page_aware(entries, per_page), by_block = lru(entries);
    std::set<std::uint32_t> left_by_page, left_by_block;
    for (std::uint32_t event = 0; event < 3 * entries; ++event) {
      const std::uint32_t id = random.below(entries);
      for (const auto& policy : {by_page.get(), by_block.get()})
        left_by_page.contains(id) ? policy->hit(EntryId(id), {})
                                  : policy->inserted(EntryId(id), {});
      left_by_page.insert(id);
    }
    left_by_block = left_by_page;
    while (!left_by_page.empty()) {
      const auto evict = [](ReplacementPolicy& policy, std::set<std::uint32_t>& left) {
        const EntryId victim = policy.victim({}).value();
        policy.removed(victim, Removal::evicted);
        left.erase(victim.value());
      };
      evict(*by_page, left_by_page);
      evict(*by_block, left_by_block);
      const std::size_t pages = pages_with(left_by_page, per_page);
      REQUIRE(pages <= pages_with(left_by_block, per_page));
      fewer += pages < pages_with(left_by_block, per_page);
    }
  }
  CHECK(fewer > 1000);
}
