// SPDX-License-Identifier: Apache-2.0
// Rules T2, T4, T7 and T8 of spec engines §3, the memory levels of a pool and who fits, by
// hand-worked situations. T3 is in test_priority_free_queues.cpp, T13 in test_capacity.cpp.
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;
using Catch::Contains;

TEST_CASE("T2: each window size has its own pool and queues; ids from 0, secondary ones behind") {
  CacheOptions options = one_window(8);
  options.windows = {{8, {3, 2}}, {128, {8, 1}}};
  Rig rig(options);
  CHECK(rig.free(0) == 3);
  CHECK(rig.free(1) == 8);
  CHECK(rig.window(0).offset(BlockId(3)).level == Level::secondary);
  CHECK(rig.window(0).offset(BlockId(3)).index == 0);
  CHECK(rig.window(0).blocks() == 5);
  CHECK(rig.window(0).config().sliding);
  CHECK_FALSE(rig.window(1).config().sliding);
  // The first block of both is block 0: there is no null block.
  rig.add(0, counting(0, 9));
  CHECK(rig.table(0, 0) == Ids{0, 1, 2});
  CHECK(rig.table(0, 1) == Ids{0, 1, 2});
  // One window size without room refuses for all, and nothing changes.
  CHECK_FALSE(rig.try_add(1, counting(50, 5)).has_value());
  CHECK(rig.free(1) == 5);
  CHECK(rig.cache.counters().alloc_total == 6);
}

TEST_CASE("T2: contradicting options are refused with a sentence") {
  const auto make = [](auto&& change) {
    CacheOptions options = one_window(8);
    change(options);
    return ReuseTreeCache(options);
  };
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.block_size = 0; }), Contains("block_size: is 0"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.max_sequence_length = 0; }),
                    Contains("max_sequence_length: is 0"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.windows.clear(); }), Contains("there is none"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.windows.push_back(o.windows[0]); }),
                    Contains("128 tokens: window sizes ascend"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.windows[0].blocks.primary = 0; }),
                    Contains("has no device block"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) {
                      o.windows[0].blocks = {1u << 31, 1};
                    }),
                    Contains("more than 2^31 blocks"));
  CHECK_THROWS_WITH(make([](CacheOptions& o) { o.offload_threshold = Priority(101); }),
                    Contains("offload_threshold: is 101"));
}

TEST_CASE("T4: the priority from which victims are offloaded is a parameter, 30 by default") {
  for (const auto& [threshold, priority, offloaded] :
       {std::tuple{30u, 30u, 1u}, {30u, 29u, 0u}, {35u, 30u, 0u}, {35u, 35u, 1u}}) {
    INFO("threshold " << threshold << ", priority " << priority);
    CacheOptions options = one_window(1, 1);
    CHECK(options.offload_threshold == Priority(30));
    options.offload_threshold = Priority(static_cast<std::uint8_t>(threshold));
    Rig rig(options);
    rig.add(0, counting(0, 3), prompt_at(priority));
    rig.release(0);
    rig.add(1, counting(50, 3));
    CHECK(rig.cache.counters().offloaded == offloaded);
    CHECK(rig.stored(0) == (offloaded == 1));
  }
}

TEST_CASE("T7: the victim keeps its place in the tree and its priority, in host memory") {
  Rig rig(one_window(2, 2));
  rig.add(0, counting(0, 8), prompt_at(40, millisecond));
  rig.release(0);
  CHECK(rig.queue(Level::primary, Priority(40)) == Ids{1, 0});
  rig.add(1, counting(50, 3));
  CHECK(rig.table(1) == Ids{2});  // the host's front block now lies where block 1 lay
  CHECK(rig.window().offset(BlockId(2)) == reuse_tree::PoolOffset{Level::primary, 1});
  CHECK(rig.window().offset(BlockId(1)) == reuse_tree::PoolOffset{Level::secondary, 0});
  CHECK(rig.window().tree().parent(BlockId(1)) == BlockId(0));
  CHECK(rig.queue(Level::secondary, Priority(40)) == Ids{1});
  CHECK(rig.queue(Level::secondary, standard) == Ids{3});
  // Its duration was dropped: it does not expire on the host.
  rig.refresh_at(millisecond * 10);
  CHECK(rig.queue(Level::secondary, Priority(40)) == Ids{1});
  CHECK(rig.queue(Level::primary, standard) == Ids{0});
}

TEST_CASE("T7: an offload needs tokens, the threshold, room on the host, and onboarding") {
  const auto offloads = [](std::uint32_t host, bool onboard, bool keep, unsigned priority) {
    CacheOptions options = one_window(1, host);
    options.onboard = onboard;
    Rig rig(options);
    rig.add(0, keep ? counting(0, 3) : Words{0}, prompt_at(priority));
    rig.release(0);
    rig.add(1, counting(50, 3));
    return rig.cache.counters().offloaded;
  };
  CHECK(offloads(1, true, true, 35) == 1);
  CHECK(offloads(0, true, true, 35) == 0);
  CHECK(offloads(1, false, true, 35) == 0);
  CHECK(offloads(1, true, false, 35) == 0);  // a single token leaves an empty block
  CHECK(offloads(1, true, true, 29) == 0);
}

TEST_CASE("T7: a block holds tokens from when it was last given some, in the tree or not") {
  Rig rig(one_window(1, 1));
  rig.add(0, counting(0, 3));
  rig.release(0, false);  // never stored
  rig.add(1, counting(50, 3));
  CHECK(rig.cache.counters().offloaded == 1);
  CHECK(rig.cache.counters().alloc_new == 1);
  CHECK_FALSE(rig.stored(0));
}

TEST_CASE("T7: a victim that is not offloaded takes its descendants out of the tree") {
  Rig rig(one_window(4));
  // The prefix at a lower priority than its end: it is taken first.
  rig.add(0, counting(0, 12), Retention({{0, 4, Priority(10), {}}, {4, 12, Priority(90), {}}}));
  rig.release(0);
  rig.add(1, counting(50, 5));  // takes block 0, then 3
  CHECK(rig.table(1) == Ids{0, 3});
  CHECK(rig.window().tree().stored_blocks() == 0);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 12)) == 0);
}

TEST_CASE("T7: what is evicted from host memory takes its subtree along, on the device too") {
  Rig rig(one_window(3, 1));
  rig.add(0, counting(0, 12), Retention({{0, 4, Priority(31), {}}, {4, 12, Priority(90), {}}}));
  rig.release(0);
  rig.add(1, counting(50, 3));  // block 0 to the host, 3 in its memory
  CHECK(rig.table(1) == Ids{3});
  CHECK(rig.stored(1));
  CHECK(rig.stored(2));
  rig.add(2, counting(60, 3));  // block 2 to the host; block 0 is taken, and its subtree goes
  CHECK(rig.table(2) == Ids{0});
  CHECK_FALSE(rig.stored(1));
  CHECK_FALSE(rig.stored(2));
  CHECK(rig.level(2) == Level::secondary);
}

TEST_CASE("T8: a hit on the host is brought back; the memory it leaves goes to the back") {
  Rig rig(one_window(2, 3));
  rig.add(0, counting(0, 5));
  rig.release(0);  // [0..3]; the empty block 1 first in the queue
  rig.add(1, counting(50, 8));
  CHECK(rig.table(1) == Ids{1, 2});
  CHECK(rig.level(0) == Level::secondary);
  rig.release(1);
  CHECK(rig.queue(Level::secondary, standard) == Ids{3, 4, 0});
  CHECK(rig.add(2, counting(0, 4)) == 3);  // a free leaf on the host: private, then onboarded
  CHECK(rig.table(2) == Ids{0});
  CHECK(rig.level(0) == Level::primary);
  // Room was made by offloading block 2 into 3's memory; 3 then took 0's place on the host.
  CHECK(rig.queue(Level::secondary, standard) == Ids{4, 2, 3});
  CHECK(rig.cache.counters().onboarded == 1);
  CHECK(rig.cache.counters().reused_tokens_secondary == 3);
  CHECK(rig.cache.counters().alloc_total == 5);  // onboarding counts
}

TEST_CASE("T8: a whole match on the host is brought back and stays in the tree") {
  Rig rig(one_window(2, 3));
  rig.add(0, counting(0, 8), prompt_at(70));
  rig.release(0);
  rig.add(1, counting(50, 8));
  rig.release(1);
  CHECK(rig.level(0) == Level::secondary);
  CHECK(rig.level(1) == Level::secondary);
  CHECK(rig.add(2, counting(0, 5)) == 4);
  CHECK(rig.level(0) == Level::primary);
  CHECK(rig.stored(0));
  CHECK(rig.stored(1));
  CHECK(rig.window().queues().priority(BlockId(0)) == Priority(70));
}

TEST_CASE("a prompt is refused if it does not fit, admitted if what it shares makes it fit") {
  Rig rig(one_window(4));
  rig.add(0, counting(0, 9));
  rig.store_context(0);
  CHECK_FALSE(rig.try_add(1, counting(50, 5)).has_value());
  CHECK(rig.add(1, counting(0, 9)) == 8);  // one block beside the two that are held
  CHECK(rig.free() == 0);
  CHECK_FALSE(rig.cache.contains(SequenceId(2)));
}

TEST_CASE("a prompt is refused if onboarding may take away what it shares (ours)") {
  // A - V - B in the tree: A on the host, V free, B held by sequence 1, whose own copies of A and V
  // stayed outside. Onboarding A takes V, which cannot go to the host any more, and B leaves with
  // it.
  Rig rig(one_window(9, 1));
  rig.add(9, {99});
  rig.add(0, counting(0, 9), Retention({{0, 4, Priority(31), {}}, {4, 8, Priority(32), {}}}));
  rig.add(1, counting(0, 13));
  rig.store_context(0);
  rig.store_context(1);
  rig.release(0);
  rig.add(2, {98});
  CHECK(rig.level(1) == Level::secondary);
  CHECK(rig.window().tree().parent(BlockId(6)) == BlockId(2));
  CHECK(rig.free() == 3);
  CHECK_FALSE(rig.try_add(3, counting(0, 13)).has_value());
  CHECK(rig.stored(6));
  rig.release(9);
  CHECK(rig.add(3, counting(0, 13)) == 4);
  CHECK(rig.free() == 0);
}
