// SPDX-License-Identifier: Apache-2.0
// Situations that the engine's own cpp/tests/unit_tests/batch_manager/kvCacheManagerTest.cpp walks
// through, with the block ids and token counts that it expects. The test's name stands in brackets.
// Left out of them: beams, pinning, and offloading by hand, which have no counterpart here.
#include "sim/prefix/reuse_tree/events.hpp"
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

Retention all_at(unsigned priority, unsigned decode,
                 std::optional<SimTime> duration = std::nullopt) {
  return Retention({{0, std::nullopt, Priority(static_cast<std::uint8_t>(priority)), duration}},
                   Priority(static_cast<std::uint8_t>(decode)));
}

}  // namespace

TEST_CASE("engine: prompts of growing and shrinking overlap (BlockManagerReuseTest)") {
  Rig rig(one_window(8, 0, 32));
  CHECK(rig.add(0, counting(0, 9)) == 0);
  CHECK(rig.table(0) == Ids{0, 1, 2});
  rig.know(0, {9, 10});
  CHECK(rig.free() == 5);
  rig.release(0);  // [0..3] [4..7] [8 9]
  CHECK(rig.free() == 8);

  CHECK(rig.add(1, counting(0, 9)) == 8);  // the last token has a block of its own
  CHECK(rig.table(1) == Ids{0, 1, 3});
  rig.know(1, {9, 10});
  rig.release(1);  // [8 9] is there: block 3 stays outside
  CHECK_FALSE(rig.stored(3));

  CHECK(rig.add(0, counting(0, 10)) == 9);  // [8] of a free leaf: made private
  CHECK(rig.table(0) == Ids{0, 1, 2});
  CHECK(rig.add(1, counting(0, 11)) == 8);
  CHECK(rig.table(1) == Ids{0, 1, 4});
  CHECK(rig.free() == 4);
  rig.know(1, {10});
  rig.release(0);  // [8]
  CHECK(rig.free() == 5);
  rig.release(1);  // [8 9 10]
  CHECK(rig.free() == 8);

  CHECK(rig.add(2, counting(0, 5)) == 4);
  CHECK(rig.table(2) == Ids{0, 5});
  rig.know(2, {5});
  CHECK(rig.add(3, counting(0, 10) + Words{11}) == 10);  // two tokens of [8 9 10], one of [8]
  CHECK(rig.table(3) == Ids{0, 1, 4});
  CHECK(rig.free() == 4);
  rig.know(3, {11});
  rig.release(2);
  rig.release(3);
  CHECK(rig.free() == 8);

  CHECK(rig.add(4, counting(0, 10) + Words{12}) == 10);
  CHECK(rig.table(4) == Ids{0, 1, 4});
  rig.release(4, false);  // block 4 does not come back to the tree
  CHECK(rig.add(4, counting(0, 10) + Words{12}) == 9);
  CHECK(rig.table(4) == Ids{0, 1, 2});
  rig.release(4);

  CHECK(rig.add(5, Words(31, 0)) == 1);  // one token in common with [0 1 2 3], by chance
  CHECK(rig.free() == 0);
  rig.know(5, {0});
  rig.release(5);
  CHECK(rig.free() == 8);
  CHECK(rig.add(6, {0}) == 0);  // a last token is never reused
  CHECK(rig.free() == 7);
  rig.release(6);
}

TEST_CASE("engine: tokens with extra ids (BlockManagerReuseWithExtraIdTest)") {
  Rig rig(one_window(16));
  const auto space = rig.cache.spaces().intern({}, {}, true);
  const auto prompt = [](std::vector<std::uint32_t> extra) {
    const std::vector<std::uint32_t> ids{100, 101, 102, 103, 104, 105, 0, 1, 2};
    Words words;
    for (std::size_t i = 0; i < ids.size(); ++i)
      words.push_back(reuse_tree::token_word(ids[i], extra[i]));
    return words;
  };
  const Words p = prompt({1, 1, 2, 2, 3, 3, 0, 0, 0});
  CHECK(rig.add(0, p, {}, space) == 0);
  rig.know(0, {3, 4});
  rig.release(0);
  CHECK(rig.add(1, p, {}, space) == 8);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  rig.know(1, {3, 4});
  rig.release(1);
  CHECK(rig.add(0, p, {}, space) == 8);
  CHECK(rig.table(0) == Ids{0, 1, 4});
  CHECK(rig.add(1, p + Words{3, 4}, {}, space) == 10);
  CHECK(rig.table(1) == Ids{0, 1, 2});
  rig.release(0);
  rig.release(1);
  CHECK(rig.add(2, prompt({4, 4, 5, 5, 6, 6, 0, 0, 0}), {}, space) == 0);
  CHECK(rig.table(2) == Ids{5, 6, 7});
  CHECK(rig.add(3, prompt({1, 1, 2, 2, 4, 4, 0, 0, 0}), {}, space) == 4);
  CHECK(rig.table(3) == Ids{0, 8, 9});
  rig.release(2);
  rig.release(3);
  CHECK(rig.free() == 16);
}

TEST_CASE("engine: multimodal items (BlockManagerReuseWithMultimodalHashTest)") {
  Rig rig(one_window(16));
  const Words p{100, 101, 102, 103, 104, 105, 0, 1, 2};
  // Items by (content, offset in the item): 11 and 12 are one picture's, 21 and 22 another's.
  CHECK(rig.add(0, p, {}, {}, {11, 12}) == 0);
  rig.know(0, {3, 4});
  rig.release(0);
  CHECK(rig.add(1, p, {}, {}, {11, 12}) == 8);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  rig.know(1, {3, 4});
  rig.release(1);
  CHECK(rig.add(2, p, {}, {}, {21, 22}) == 0);
  CHECK(rig.table(2) == Ids{4, 5, 6});
  CHECK(rig.add(3, p, {}, {}, {11, 21}) == 4);
  CHECK(rig.table(3) == Ids{0, 7, 8});
  rig.release(2);
  rig.release(3);
}

TEST_CASE("engine: LoRA tasks share nothing (BlockManagerReuseWithLoraTaskIdTest)") {
  Rig rig(one_window(16));
  const auto lora0 = rig.cache.spaces().intern(0, {}), lora1 = rig.cache.spaces().intern(1, {});
  const auto none = rig.cache.spaces().intern({}, {});
  CHECK(rig.add(0, counting(0, 9), {}, lora0) == 0);
  rig.know(0, {9, 10});
  rig.release(0);
  CHECK(rig.add(1, counting(0, 9), {}, lora0) == 8);
  rig.know(1, {9, 10});
  rig.release(1);
  CHECK(rig.add(0, counting(0, 9), {}, lora0) == 8);
  CHECK(rig.table(0) == Ids{0, 1, 4});
  CHECK(rig.add(1, counting(0, 11), {}, lora0) == 10);
  CHECK(rig.table(1) == Ids{0, 1, 2});
  rig.release(0);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 9), {}, lora1) == 0);
  CHECK(rig.table(2) == Ids{5, 6, 7});
  rig.know(2, {9});
  rig.release(2);
  CHECK(rig.add(3, counting(0, 10) + Words{11}, {}, lora1) == 9);
  CHECK(rig.table(3) == Ids{5, 6, 7});
  rig.know(3, {11});
  rig.release(3);
  CHECK(rig.add(4, counting(0, 5), {}, lora0) == 4);
  CHECK(rig.table(4) == Ids{0, 8});
  rig.know(4, {5});
  rig.release(4);
  CHECK(rig.add(5, counting(0, 9), {}, none) == 0);
  CHECK(rig.table(5) == Ids{9, 10, 11});
  rig.release(5);
}

TEST_CASE("engine: cache salts share nothing (BlockManagerReuseWithCacheSaltIdTest)") {
  Rig rig(one_window(16));
  const Words p = counting(100, 9);
  const auto none = rig.cache.spaces().intern({}, {});
  const auto salt1 = rig.cache.spaces().intern({}, 12'345);
  const auto salt2 = rig.cache.spaces().intern({}, 67'890);
  CHECK(rig.add(0, p, {}, none) == 0);
  rig.know(0, {3, 4});
  rig.release(0);
  CHECK(rig.add(1, p, {}, salt1) == 0);
  CHECK(rig.table(1) == Ids{3, 4, 5});
  rig.know(1, {3, 4});
  rig.release(1);
  CHECK(rig.add(2, p, {}, salt1) == 8);
  CHECK(rig.table(2) == Ids{3, 4, 6});
  rig.know(2, {3, 4});
  rig.release(2);
  CHECK(rig.add(3, p, {}, salt2) == 0);
  CHECK(rig.table(3) == Ids{7, 8, 9});
  CHECK(rig.add(4, p, {}, none) == 8);
  CHECK(rig.table(4) == Ids{0, 1, 10});
  rig.release(3);
  rig.release(4);
}

TEST_CASE("engine: counts of one request (KVCacheManagerPerRequestStatsTest)") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 9));
  Counters before = rig.cache.counters();
  CHECK(before.reused == 0);
  CHECK(before.alloc_total == 3);
  CHECK(before.alloc_new == 3);
  CHECK(before.missed == 3);
  rig.release(0);
  rig.add(1, counting(0, 9));
  const Counters after = rig.cache.counters();
  CHECK(after.reused - before.reused == 2);
  CHECK(after.alloc_total - before.alloc_total == 1);
  CHECK(after.alloc_new - before.alloc_new == 1);
  CHECK(after.missed - before.missed == 1);
}

TEST_CASE("engine: what was kept at a low priority goes first (BlockManagerBlockPriorityTest)") {
  Rig rig(one_window(4));
  rig.add(0, counting(0, 8),
          Retention({{0, 4, Priority(90), {}}, {4, 8, Priority(10), {}}}, Priority(20)));
  rig.add(1, counting(8, 8));
  rig.release(0);
  rig.release(1);
  rig.add(2, counting(16, 8), all_at(20, 20));
  rig.release(2);
  CHECK(rig.add(3, counting(8, 8)) == 4);
  rig.release(3);
  CHECK(rig.free() == 4);
  CHECK(rig.add(4, counting(0, 8)) == 4);
  CHECK(rig.add(5, counting(16, 8)) == 0);
}

TEST_CASE("engine: decoded blocks have their priority (KVCacheManagerDecodeBlockPriorityTest)") {
  Rig rig(one_window(8, 0, 32));
  rig.add(0, counting(0, 12), all_at(90, 90));
  rig.append(0, {0});
  CHECK(rig.free() == 4);
  rig.add(1, counting(12, 12), all_at(5, 5));
  CHECK(rig.free() == 1);
  rig.append(1, {0});
  CHECK(rig.free() == 0);
  rig.release(0);
  rig.release(1);
  rig.add(2, counting(24, 12));
  CHECK(rig.table(2) == Ids{7, 6, 5});
  rig.release(2);
  CHECK(rig.add(3, counting(0, 12)) == 11);
}

TEST_CASE("engine: a priority runs out (KVCacheManagerTimedEvictionTest)") {
  Rig rig(one_window(8, 0, 16));
  rig.add(0, counting(0, 12), all_at(80, 80, millisecond * 10));
  rig.release(0);
  rig.add(1, counting(12, 12), all_at(50, 80));
  rig.release(1);
  rig.refresh_at(millisecond * 50);
  rig.add(2, Words(12, 1));
  rig.release(2);
  CHECK(rig.add(3, counting(12, 12)) == 11);
}

TEST_CASE("engine: decoded blocks' priority runs out (KVCacheManagerDecodeTimedEvictionTest)") {
  Rig rig(one_window(9, 0, 16));
  rig.add(0, Words{1, 1, 2, 3} + counting(4, 8), all_at(50, 50));
  rig.store_context(0);
  rig.append(0, {0, 0, 0});
  rig.release(0);
  rig.add(1, counting(0, 12), Retention({}, Priority(100), millisecond * 20));
  rig.store_context(1);
  rig.append(1, {0, 0, 0});
  rig.release(1);
  rig.refresh_at(millisecond * 50);
  rig.add(2, Words(8, 0));
  rig.release(2);
  CHECK(rig.add(3, counting(0, 12)) == 8);
}

TEST_CASE("engine: a parent on the host, a child on the device (…SecondaryBlockPrimaryChildTest)") {
  Rig rig(one_window(4, 4, 16));
  rig.add(0, counting(0, 12));
  rig.release(0);
  rig.add(1, Words{1, 1, 2, 3} + counting(4, 8));
  CHECK(rig.table(1) == Ids{3, 4, 5});  // 2 and 1 gave their device memory to 4 and 5
  CHECK(rig.level(2) == Level::secondary);
  CHECK(rig.level(1) == Level::secondary);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 4)) == 3);
  CHECK(rig.table(2) == Ids{6});
  rig.store_context(2);
  for (std::uint64_t token = 4; token < 8; ++token) {
    rig.know(2, {token});
    REQUIRE(rig.cache.add_slot(SequenceId(2)));
  }
  for (int i = 0; i < 2; ++i) {
    rig.know(2, {0});
    REQUIRE(rig.cache.add_slot(SequenceId(2)));
  }
  rig.release(2);
  CHECK(rig.add(3, counting(0, 8) + Words{0, 0}) == 4);
}

TEST_CASE("engine: the tail is taken before the prefix (KVCacheManagerLeafBlockTest)") {
  Rig rig(one_window(4, 0, 16));
  rig.add(0, counting(0, 4));
  rig.store_context(0);
  rig.append(0, {0});
  rig.release(0);
  CHECK(rig.add(1, Words{1, 1, 2, 3}) == 0);
  CHECK(rig.table(1) == Ids{2});
  rig.add(2, Words{2, 1, 2, 3} + counting(4, 8));
  rig.release(1);
  rig.release(2);
  CHECK(rig.add(3, Words{2, 1, 2, 3} + counting(4, 8)) == 11);
  CHECK(rig.free() == 1);
  rig.append(3, {0});
  CHECK(rig.free() == 0);
  CHECK_FALSE(rig.try_add(4, {42}).has_value());
}

TEST_CASE("engine: evicting a host block takes its subtree (…LeafBlockWithDependentTest)") {
  Rig rig(one_window(4, 1, 16));
  // The middle block is raised by its request, not by hand.
  rig.add(0, counting(0, 12), Retention({{4, 8, Priority(75), {}}}));
  CHECK(rig.table(0) == Ids{0, 1, 2});
  rig.add(1, counting(100, 4));
  CHECK(rig.free() == 0);
  rig.release(0);
  CHECK(rig.free() == 3);
  rig.append(1, {104});  // 2 goes to the host, 4 has its device memory
  CHECK(rig.window().tree().parent(BlockId(2)) == BlockId(1));
  CHECK(rig.level(2) == Level::secondary);
  rig.append(1, {105, 106, 107});
  CHECK(rig.table(1) == Ids{3, 4});
  rig.append(1, {108});  // 0 goes to the host in the place of 2
  CHECK_FALSE(rig.stored(2));
  CHECK(rig.level(0) == Level::secondary);
  CHECK(rig.table(1) == Ids{3, 4, 2});
  rig.release(1);
}

TEST_CASE("engine: drafts are taken back (KVCacheManagerRewindTokensTest)") {
  CacheOptions options = one_window(80, 0, 640);
  options.block_size = 64;
  options.reuse = false;
  Rig rig(options);
  rig.add(7, Words(575, 0));
  CHECK(rig.free() == 71);
  const auto add_slots = [&](int count) {
    for (int i = 0; i < count; ++i)
      REQUIRE(rig.cache.add_slot(SequenceId(7)));
  };
  add_slots(1);
  CHECK(rig.free() == 71);
  add_slots(1);
  CHECK(rig.free() == 70);
  add_slots(3);
  for (int i = 0; i < 4; ++i)
    rig.cache.remove_slot(SequenceId(7));
  CHECK(rig.free() == 71);
  CHECK(rig.queue(Level::primary, Priority(35)).front() == 9);  // T3: to the front
  rig.release(7);
  CHECK(rig.free() == 80);
}

TEST_CASE("engine: a window below the block size (…MaxAttentionWindowSmallerThanBlockSizeTest)") {
  CacheOptions options = one_window(16);
  options.windows = {{3, {16, 0}}};
  options.reuse = false;
  Rig rig(options);
  rig.add(0, {1000, 1001});
  rig.append(0, {1002, 1003});
  CHECK(rig.table(0) == Ids{0});
  rig.append(0, {1004});
  CHECK(rig.table(0) == Ids{0, 1});
  rig.append(0, {1005});
  CHECK(rig.free() == 14);
  rig.append(0, {1006});
  CHECK(rig.free() == 15);  // the first block left the window
  CHECK(rig.table(0) == Ids{0, 1});
  rig.append(0, {1007, 1008});
  CHECK(rig.table(0) == Ids{0, 1, 2});
  rig.release(0);
  CHECK(rig.free() == 16);
  CHECK(rig.window().tree().stored_blocks() == 0);
}

TEST_CASE("engine: reuse in a sliding window (KVCacheManagerMaxAttentionWindowWithReuseTest)") {
  CacheOptions options = one_window(16);
  options.windows = {{16, {16, 16}}};
  Rig rig(options);
  CHECK(rig.add(0, counting(1000, 16)) == 0);
  CHECK(rig.table(0) == Ids{0, 1, 2, 3});
  rig.append(0, counting(1016, 4));
  CHECK(rig.table(0) == Ids{0, 1, 2, 3, 4});
  rig.release(0);
  CHECK(rig.free() == 16);
  CHECK(rig.add(1, counting(1000, 7)) == 6);
  CHECK(rig.table(1) == Ids{0, 5});
  rig.append(1, {1007, 1008});
  CHECK(rig.table(1) == Ids{0, 5, 6});
  rig.release(1);
  CHECK(rig.add(2, counting(1000, 10)) == 9);
  CHECK(rig.table(2) == Ids{0, 1, 7});
  rig.release(2);
  CHECK(rig.add(3, counting(1000, 15)) == 14);
  CHECK(rig.table(3) == Ids{0, 1, 2, 8});
  rig.append(3, {1015, 1016});
  CHECK(rig.table(3) == Ids{0, 1, 2, 8, 9});
  rig.release(3);
}

TEST_CASE("engine: a taken block bars the store (KVCacheManagerSWAInvalidateReuseTest)") {
  CacheOptions options = one_window(4);
  options.windows = {{8, {4, 0}}};
  Rig rig(options);
  rig.add(0, counting(1000, 11));
  rig.append(0, {1011});  // block 0 leaves the window
  rig.add(1, counting(1000, 8));
  CHECK(rig.table(1) == Ids{3, 0});
  CHECK_FALSE(rig.window().can_store(rig.cache.table(SequenceId(0), 0)));
  CHECK(rig.window().can_store(rig.cache.table(SequenceId(1), 0)));
  rig.release(0);
  CHECK(rig.window().tree().stored_blocks() == 0);
  rig.release(1);
  CHECK(rig.window().tree().stored_blocks() == 2);
}

TEST_CASE("engine: two window sizes (KVCacheManagerVariableWindowAttentionWithReuseTest)") {
  CacheOptions options = one_window(16);
  options.windows = {{8, {16, 16}}, {16, {16, 16}}};
  Rig rig(options);
  CHECK(rig.add(0, counting(1000, 8)) == 0);
  rig.append(0, counting(1008, 4));
  for (const std::uint32_t window : {0u, 1u})
    CHECK(rig.table(0, window) == Ids{0, 1, 2});
  rig.release(0);
  CHECK(rig.free(0) == 16);
  CHECK(rig.free(1) == 16);
  CHECK(rig.add(1, counting(1000, 7)) == 6);
  for (const std::uint32_t window : {0u, 1u})
    CHECK(rig.table(1, window) == Ids{0, 3});
  rig.append(1, {1008, 1009});
  for (const std::uint32_t window : {0u, 1u})
    CHECK(rig.table(1, window) == Ids{0, 3, 4});
  rig.release(1);
}
