// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <set>

#include "sim/prefix/hash_chain/host_copies.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;

namespace {

/// The first `blocks` blocks of the prompt that `key` stands for.
std::vector<ContentId> prompt(std::uint64_t key, std::uint32_t blocks, std::uint32_t first = 0) {
  std::vector<ContentId> contents;
  for (std::uint32_t block = first; block < first + blocks; ++block)
    contents.push_back({key, block, 0});
  return contents;
}

HostCopies lru_tier(std::uint32_t blocks) {
  return HostCopies(blocks, *find_replacement("lru"), {});
}

}  // namespace

TEST_CASE("of each contents the host has one copy") {
  HostCopies tier = lru_tier(10);
  CHECK(tier.store(prompt(1, 4), SimTime(0)).copied() == 4);
  CHECK(tier.store(prompt(1, 6), SimTime(0)).copied() == 2);
  CHECK(tier.size() == 6);
  CHECK(tier.leading(prompt(1, 8)).size() == 6);
  CHECK(tier.leading(prompt(2, 8)).size() == 0);
  CHECK(tier.leading(prompt(1, 3, 2)).size() == 3);
}

TEST_CASE("copies go together or not at all, and never for one another") {
  HostCopies tier = lru_tier(4);
  CHECK(tier.store(prompt(1, 5), SimTime(0)).copied() == 0);
  CHECK(tier.size() == 0);
  CHECK(tier.store(prompt(1, 3), SimTime(0)).copied() == 3);
  // Four of its own: the three that are here stay, though they are the oldest.
  const auto grown = tier.store(prompt(1, 4), SimTime(0));
  CHECK(grown.copied() == 1);
  CHECK(grown.contents == std::vector<std::uint32_t>{3});
  CHECK(grown.evicted == 0);
  const auto other = tier.store(prompt(2, 4), SimTime(0));
  CHECK(other.copied() == 4);
  CHECK(other.evicted == 4);
  CHECK(tier.leading(prompt(2, 4)).size() == 4);
}

TEST_CASE("a prefix that is used loses its last block first") {
  HostCopies tier = lru_tier(4);
  tier.store(prompt(1, 3), SimTime(0));
  tier.touch(prompt(1, 3));
  tier.store(prompt(2, 2), SimTime(0));  // one has to go
  CHECK(tier.leading(prompt(1, 3)).size() == 2);
}

TEST_CASE("ARC: what was used twice outlives a scan") {
  HostCopies arc(8, *find_replacement("arc"), {});
  arc.store(prompt(1, 2), SimTime(0));
  arc.touch(prompt(1, 2));
  for (std::uint64_t key = 2; key < 20; ++key)
    arc.store(prompt(key, 2), SimTime(0));
  CHECK(arc.leading(prompt(1, 2)).size() == 2);
  HostCopies lru = lru_tier(8);
  lru.store(prompt(1, 2), SimTime(0));
  lru.touch(prompt(1, 2));
  for (std::uint64_t key = 2; key < 20; ++key)
    lru.store(prompt(key, 2), SimTime(0));
  CHECK(lru.leading(prompt(1, 2)).size() == 0);
}

TEST_CASE("under LRU the tier is a list") {
  test::Random random(7);
  constexpr std::uint32_t room = 24;
  HostCopies tier = lru_tier(room);
  std::deque<ContentId> list;  // the next to go in front
  const auto place = [&](const ContentId& id) { return std::find(list.begin(), list.end(), id); };
  for (int step = 0; step < 20'000; ++step) {
    const auto contents = prompt(random.below(12), 1 + random.below(30));
    std::uint32_t leading = 0;
    while (leading < contents.size() && place(contents[leading]) != list.end())
      ++leading;
    REQUIRE(tier.leading(contents).size() == leading);
    if (random.one_in(2)) {
      tier.touch(contents);
      for (auto id = contents.rbegin(); id != contents.rend(); ++id)
        if (const auto found = place(*id); found != list.end()) {
          list.erase(found);
          list.push_back(*id);
        }
    } else {
      std::uint32_t copied = 0, evicted = 0;
      if (contents.size() <= room) {
        for (const ContentId& id : contents) {
          if (place(id) != list.end()) continue;
          ++copied;
          if (list.size() == room) {
            const auto victim = std::find_if(list.begin(), list.end(), [&](const ContentId& old) {
              return std::find(contents.begin(), contents.end(), old) == contents.end();
            });
            list.erase(victim);
            ++evicted;
          }
          list.push_back(id);
        }
      }
      const HostCopies::Stored& stored = tier.store(contents, SimTime(step));
      REQUIRE(stored.copied() == copied);
      REQUIRE(stored.evicted == evicted);
      // Each is found in the block that it was put in, and no two in one.
      const auto found = tier.leading(contents);
      for (std::size_t i = 0; i < stored.blocks.size(); ++i)
        REQUIRE(found[stored.contents[i]] == stored.blocks[i]);
      REQUIRE(std::set(found.begin(), found.end()).size() == found.size());
    }
    REQUIRE(tier.size() == list.size());
  }
}
