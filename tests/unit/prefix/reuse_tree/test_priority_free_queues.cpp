// SPDX-License-Identifier: Apache-2.0
// Rules T3 and T4 at the queues alone. Cases marked with a name mirror what the engine's own
// cpp/tests/unit_tests/batch_manager/evictionPolicyTest.cpp (LRUPolicyTest) checks.
#include <algorithm>
#include <catch2/catch.hpp>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "sim/prefix/reuse_tree/priority_free_queues.hpp"

using namespace vacancy;
using namespace vacancy::reuse_tree;

namespace {

constexpr Priority priority_of(unsigned value) {
  return Priority(static_cast<std::uint8_t>(value));
}

std::vector<std::uint32_t> order(PriorityFreeQueues& queues, Level level) {
  std::vector<std::uint32_t> ids;
  for (unsigned priority = 0; priority <= 100; ++priority)
    queues.for_each(level, priority_of(priority), [&](BlockId id) { ids.push_back(id.value()); });
  return ids;
}

void claim_all_but(PriorityFreeQueues& queues, std::uint32_t left) {
  while (queues.size(Level::primary) > left)
    queues.claim(queues.front(Level::primary), {});
}

}  // namespace

TEST_CASE("T3: all blocks start free at priority 35, in order of ids, secondary behind primary") {
  PriorityFreeQueues queues(8, 4);
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(order(queues, Level::secondary) == std::vector<std::uint32_t>{8, 9, 10, 11});
  CHECK(queues.priority(BlockId(3)) == priority_of(35));
  CHECK(default_priority == priority_of(35));
  CHECK(queues.front(Level::primary) == BlockId(0));
  CHECK(queues.front(Level::secondary) == BlockId(8));
}

TEST_CASE("T3: a claim leaves its own level's queue only (NumFreeBlocksTest)") {
  PriorityFreeQueues queues(8, 4);
  queues.claim(queues.front(Level::primary), {});
  CHECK(queues.size(Level::primary) == 7);
  CHECK(queues.size(Level::secondary) == 4);
  queues.claim(queues.front(Level::secondary), {});
  CHECK(queues.size(Level::secondary) == 3);
}

TEST_CASE("T3: a release goes to the back, or to the front if told so (ReleaseBlockTest)") {
  PriorityFreeQueues queues(8, 4);
  queues.claim(BlockId(0), {});
  CHECK(queues.front(Level::primary) == BlockId(1));
  queues.release(BlockId(0), Level::primary, SimTime(0), true);
  CHECK(queues.front(Level::primary) == BlockId(0));
  queues.claim(BlockId(0), {});
  queues.release(BlockId(0), Level::primary, SimTime(0));
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 0});
}

TEST_CASE("T3: within a priority, what was released first is taken first (LRUTest)") {
  PriorityFreeQueues queues(8, 4);
  queues.claim(BlockId(0), {});
  queues.claim(BlockId(1), {});
  queues.release(BlockId(1), Level::primary, SimTime(0));
  queues.release(BlockId(0), Level::primary, SimTime(0));
  claim_all_but(queues, 2);
  CHECK(queues.front(Level::primary) == BlockId(1));
  queues.claim(BlockId(1), {});
  CHECK(queues.front(Level::primary) == BlockId(0));
}

TEST_CASE("T3: the lowest priority that has a block is taken from first (PriorityTest)") {
  PriorityFreeQueues queues(8, 4);
  queues.claim(BlockId(0), {priority_of(80), std::nullopt});
  queues.claim(BlockId(1), {priority_of(5), std::nullopt});
  queues.claim(BlockId(2), {priority_of(100), std::nullopt});
  queues.claim(BlockId(3), {priority_of(0), std::nullopt});
  for (const std::uint32_t id : {0u, 1u, 2u, 3u})
    queues.release(BlockId(id), Level::primary, SimTime(0));
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{3, 1, 4, 5, 6, 7, 0, 2});
  for (const std::uint32_t id : {3u, 1u, 4u, 5u, 6u, 7u, 0u, 2u}) {
    CHECK(queues.front(Level::primary) == BlockId(id));
    queues.claim(BlockId(id), {});
  }
  CHECK(queues.front(Level::primary) == null_block);
}

TEST_CASE("T3: a claim without a priority keeps the block's, and drops its duration in any case") {
  PriorityFreeQueues queues(2, 0);
  queues.claim(BlockId(0), {priority_of(80), millisecond});
  queues.release(BlockId(0), Level::primary, SimTime(0));
  queues.claim(BlockId(0), {});
  CHECK(queues.priority(BlockId(0)) == priority_of(80));
  CHECK(queues.duration(BlockId(0)) == std::nullopt);
  queues.release(BlockId(0), Level::primary, SimTime(0));
  queues.refresh(millisecond * 1000);
  CHECK(queues.priority(BlockId(0)) == priority_of(80));
}

TEST_CASE("T3: an expired block falls to the back of the default queue (TimedBlockTest)") {
  PriorityFreeQueues queues(8, 4);
  queues.claim(BlockId(0), {priority_of(80), millisecond});
  queues.release(BlockId(0), Level::primary, SimTime(0));
  queues.refresh(SimTime(0));
  CHECK(queues.priority(BlockId(0)) == priority_of(80));
  queues.refresh(millisecond * 2);
  CHECK(queues.priority(BlockId(0)) == default_priority);
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6, 7, 0});

  queues.claim(BlockId(1), {priority_of(80), millisecond * 3});
  queues.claim(BlockId(2), {priority_of(50), millisecond * 8});
  claim_all_but(queues, 0);
  queues.release(BlockId(1), Level::primary, millisecond * 5);
  queues.release(BlockId(2), Level::primary, millisecond * 5);
  queues.refresh(millisecond * 5);
  CHECK(queues.front(Level::primary) == BlockId(2));
  queues.refresh(millisecond * 9);  // 8 ms have passed for block 1, not 13 for block 2
  CHECK(queues.front(Level::primary) == BlockId(1));
}

TEST_CASE("T3: time runs from the release; the default priority does not expire") {
  PriorityFreeQueues queues(3, 0);
  queues.claim(BlockId(0), {priority_of(90), millisecond});
  queues.refresh(millisecond * 5);  // in use: nothing to expire
  queues.release(BlockId(0), Level::primary, millisecond * 5);
  queues.refresh(millisecond * 6 - SimTime(1));
  CHECK(queues.priority(BlockId(0)) == priority_of(90));
  queues.refresh(millisecond * 6);
  CHECK(queues.priority(BlockId(0)) == default_priority);

  queues.claim(BlockId(1), {default_priority, SimTime(0)});
  queues.release(BlockId(1), Level::primary, millisecond * 6);
  queues.refresh(millisecond * 100);
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{2, 0, 1});

  // A priority below the default rises when its time is over; the longest duration never ends.
  queues.claim(BlockId(2), {priority_of(1), SimTime(std::numeric_limits<std::int64_t>::max())});
  queues.release(BlockId(2), Level::primary, millisecond * 100);
  queues.refresh(SimTime(std::numeric_limits<std::int64_t>::max() - 1));
  CHECK(queues.front(Level::primary) == BlockId(2));
}

TEST_CASE("T3: blocks that expire together fall in the order of their times, then of their ids") {
  PriorityFreeQueues queues(4, 0);
  for (const std::uint32_t id : {0u, 1u, 2u, 3u})
    queues.claim(BlockId(id), {priority_of(60 + id), millisecond * (id == 1 ? 1 : 2)});
  for (const std::uint32_t id : {3u, 2u, 1u, 0u})
    queues.release(BlockId(id), Level::primary, SimTime(0));
  queues.refresh(millisecond * 10);
  CHECK(order(queues, Level::primary) == std::vector<std::uint32_t>{1, 0, 2, 3});
}

TEST_CASE("T3: 10^5 random operations agree with queues made of plain containers") {
  constexpr std::uint32_t primary = 23, secondary = 9;
  PriorityFreeQueues queues(primary, secondary);
  std::mt19937 engine(7);
  const auto below = [&](unsigned n) { return static_cast<unsigned>(engine() % n); };
  struct Plain {
    unsigned priority = 35;
    std::optional<std::int64_t> duration, expiry;
    std::optional<int> level;  // if free
  };
  std::vector<Plain> blocks(primary + secondary);
  std::map<std::pair<int, unsigned>, std::deque<std::uint32_t>> lists;
  for (std::uint32_t id = 0; id < blocks.size(); ++id) {
    blocks[id].level = id < primary ? 0 : 1;
    lists[{*blocks[id].level, 35}].push_back(id);
  }
  const auto drop = [&](std::uint32_t id) {
    auto& list = lists[{*blocks[id].level, blocks[id].priority}];
    list.erase(std::find(list.begin(), list.end(), id));
  };
  std::int64_t now = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::uint32_t id = below(primary + secondary);
    Plain& block = blocks[id];
    switch (below(4)) {
      case 0: {  // claim
        BlockRetention asked;
        if (below(2) == 0) asked.priority = priority_of(below(101));
        if (below(2) == 0) asked.duration = SimTime(below(50));
        queues.claim(BlockId(id), asked);
        if (block.level) drop(id);
        block.level.reset();
        block.expiry.reset();
        if (asked.priority) block.priority = asked.priority->value();
        block.duration.reset();
        if (asked.duration) block.duration = asked.duration->value();
        break;
      }
      case 1:
      case 2: {  // release
        if (block.level) break;
        const bool front = below(4) == 0;
        block.level = static_cast<int>(below(2));
        queues.release(BlockId(id), static_cast<Level>(*block.level), SimTime(now), front);
        auto& list = lists[{*block.level, block.priority}];
        front ? list.push_front(id) : list.push_back(id);
        if (block.duration && block.priority != 35) block.expiry = now + *block.duration;
        break;
      }
      default: {  // refresh
        now += below(5);
        queues.refresh(SimTime(now));
        std::set<std::pair<std::int64_t, std::uint32_t>> due;
        for (std::uint32_t b = 0; b < blocks.size(); ++b)
          if (blocks[b].expiry && *blocks[b].expiry <= now) due.emplace(*blocks[b].expiry, b);
        for (const auto& [time, b] : due) {
          drop(b);
          blocks[b].priority = 35;
          blocks[b].expiry.reset();
          lists[{*blocks[b].level, 35}].push_back(b);
        }
      }
    }
    for (const int level : {0, 1}) {
      BlockId front = null_block;
      std::uint32_t size = 0;
      for (const auto& [key, list] : lists) {
        if (key.first != level) continue;
        if (front == null_block && !list.empty()) front = BlockId(list.front());
        size += static_cast<std::uint32_t>(list.size());
      }
      REQUIRE(queues.front(static_cast<Level>(level)) == front);
      REQUIRE(queues.size(static_cast<Level>(level)) == size);
    }
  }
}
