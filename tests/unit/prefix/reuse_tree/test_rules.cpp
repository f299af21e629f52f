// SPDX-License-Identifier: Apache-2.0
// Rules T2 and T4 to T12, T14 of spec engines §3, each by hand-worked situations. T1 is in
// test_contents.cpp, T3 in test_priority_free_queues.cpp, T12's ranges in test_retention.cpp, T13
// in test_capacity.cpp.
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;
using Catch::Contains;

namespace {

Retention prompt_at(unsigned priority, std::optional<SimTime> duration = std::nullopt) {
  return Retention({{0, std::nullopt, Priority(static_cast<std::uint8_t>(priority)), duration}});
}

constexpr Priority standard(35);

}  // namespace

TEST_CASE("T1: no hit across tenants, for equal prompts of every mix of LoRA and salt") {
  Rig rig(one_window(64));
  std::uint32_t id = 0;
  std::vector<ContentSpace> tenants;
  for (const std::optional<std::uint64_t> lora : {std::optional<std::uint64_t>(), {0}, {7}})
    for (const std::optional<std::uint64_t> salt : {std::optional<std::uint64_t>(), {0}, {7}})
      tenants.push_back(rig.cache.spaces().intern(lora, salt));
  for (const ContentSpace tenant : tenants) {
    CHECK(rig.add(id, counting(0, 9), {}, tenant) == 0);
    rig.release(id++);
  }
  for (const ContentSpace tenant : tenants) {
    CHECK(rig.add(id, counting(0, 9), {}, tenant) == 8);
    rig.release(id++);
  }
}

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

TEST_CASE("T5: prompts match up to their last token, at token granularity") {
  // A cached prompt of 8 tokens (block 4) hits 7, not 4: the last token only is computed again.
  Rig rig(one_window(16));
  rig.add(0, counting(0, 8));
  rig.know(0, counting(8, 1));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 8)) == 7);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 7)) == 6);
  rig.release(2);
  CHECK(rig.add(3, counting(0, 5)) == 4);  // 5 % 4 == 1: an extra empty block
  CHECK(rig.table(3).size() == 2);
  CHECK_FALSE(rig.window().tree().holds_tokens(rig.cache.table(SequenceId(3), 0).blocks[1]));
  rig.release(3);
  CHECK(rig.add(4, {0}) == 0);
  CHECK(rig.table(4).size() == 1);
}

TEST_CASE("T6: a full match is shared, by any number of sequences") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9));
  rig.store_context(0);
  CHECK(rig.add(1, counting(0, 9)) == 8);
  CHECK(rig.add(2, counting(0, 9)) == 8);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  CHECK(rig.table(2) == Ids{0, 1, 4});
  CHECK(rig.window().references(BlockId(1)) == 3);
  rig.release(0);
  rig.release(1);
  CHECK(rig.window().references(BlockId(1)) == 1);
  CHECK(rig.free() == 5);
}

TEST_CASE("T6: a held or inner block that matches in part is copied, at its own priority") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9), prompt_at(60, millisecond));
  rig.store_context(0);
  CHECK(rig.add(1, Words{0, 1, 2, 9}, prompt_at(80)) == 3);  // [0 1 2 3] is held
  CHECK(rig.table(1) == Ids{3});
  CHECK(rig.window().queues().priority(BlockId(3)) == Priority(60));
  CHECK(rig.window().queues().duration(BlockId(3)) == millisecond);
  CHECK(rig.window().tree().contents(BlockId(3)).tokens == 3);  // the prompt's, not the source's
  CHECK(rig.stored(0));
  rig.release(0);
  // Now [0 1 2 3] is free and has a child.
  CHECK(rig.add(2, Words{0, 1, 9, 9}) == 2);
  CHECK(rig.table(2) == Ids{4});
  CHECK(rig.cache.counters().copied == 2);
  CHECK(rig.cache.counters().copied_tokens == 5);
}

TEST_CASE("T6: a free leaf that matches in part leaves the tree and becomes private") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9), prompt_at(60, millisecond));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 6) + Words{9, 9, 9}) == 6);
  CHECK(rig.table(1) == Ids{0, 1, 3});
  CHECK_FALSE(rig.stored(1));
  CHECK(rig.window().queues().priority(BlockId(1)) == Priority(60));  // kept
  CHECK(rig.window().queues().duration(BlockId(1)) == std::nullopt);  // dropped by the claim
  CHECK(rig.cache.counters().copied == 0);
  rig.release(1);
  CHECK(rig.add(2, counting(0, 9)) == 6);  // [4 5 6 7] is gone, [4 5 9 9] is there
}

TEST_CASE("T6: after a partial match or a miss nothing more matches") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 13));
  rig.release(0);
  const Counters before = rig.cache.counters();
  CHECK(rig.add(1, Words{0, 1, 9, 3} + counting(4, 9)) == 2);  // [4..7] is not under [0 1 9 3]
  CHECK(rig.cache.counters().reused - before.reused == 1);
  CHECK(rig.cache.counters().missed - before.missed == 3);
}

TEST_CASE("T6: without partial reuse only whole blocks match") {
  CacheOptions options = one_window(8);
  options.partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 9));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 7)) == 4);
  CHECK(rig.stored(1));
  rig.release(1);
  CHECK(rig.add(2, counting(0, 9)) == 8);
}

TEST_CASE("T6: without copies only a free leaf is reused in part") {
  CacheOptions options = one_window(8);
  options.copy_on_partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 9));
  rig.store_context(0);
  CHECK(rig.add(1, Words{0, 1, 2, 9}) == 0);
  CHECK(rig.add(2, counting(0, 6)) == 4);  // [4..7] is held
  rig.release(0);
  rig.release(2);
  CHECK(rig.add(3, counting(0, 7)) == 6);  // a free leaf by now
  CHECK(rig.cache.counters().copied == 0);
}

TEST_CASE("T6: a partial block that matches exactly is copied while it is held, switches or not") {
  // The engine finds a key before it asks whether partial reuse is on.
  CacheOptions options = one_window(8);
  options.partial_reuse = false;
  options.copy_on_partial_reuse = false;
  Rig rig(options);
  rig.add(0, counting(0, 7));
  rig.release(0);  // [4 5]
  CHECK(rig.add(1, counting(0, 7)) == 6);
  CHECK(rig.table(1) == Ids{0, 1});
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

TEST_CASE("T9: at context end the full blocks of all but the last token become findable") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 8));
  CHECK(rig.window().tree().stored_blocks() == 0);
  rig.store_context(0);
  CHECK(rig.window().tree().stored_blocks() == 1);  // 7 tokens: one full block
  CHECK(rig.stored(0));
  rig.add(1, counting(50, 9));
  rig.store_context(1);
  CHECK(rig.window().tree().stored_blocks() == 3);
}

TEST_CASE("T9: decoding stores a block when its tokens and one more are known") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 6));
  rig.store_context(0);
  const auto decode = [&](std::uint64_t token) {
    rig.know(0, {token});
    rig.store_new_block(0);
    REQUIRE(rig.cache.add_slot(SequenceId(0)));
    return rig.window().tree().stored_blocks();
  };
  CHECK(decode(6) == 1);  // 7 known
  CHECK(decode(7) == 1);  // 8
  CHECK(decode(8) == 2);  // 9: the second block
  CHECK(decode(9) == 2);
  CHECK(decode(10) == 2);
  CHECK(decode(11) == 2);
  CHECK(decode(12) == 3);  // 13: a block that decoding had added
}

TEST_CASE("T9: at release all but the last token become findable, the partial block too") {
  Rig rig(one_window(16));
  rig.add(0, counting(0, 8));
  rig.release(0);
  CHECK(rig.window().tree().stored_blocks() == 2);
  CHECK(rig.window().tree().contents(BlockId(1)).tokens == 3);
  rig.add(1, counting(50, 8));
  rig.release(1, false);
  CHECK(rig.window().tree().stored_blocks() == 2);
}

TEST_CASE("T9: a key that exists stays with its block; the second block is plainly free") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9));
  rig.add(1, counting(0, 9));  // at the same time: no reuse
  rig.store_context(0);
  rig.store_context(1);
  CHECK(rig.stored(0));
  CHECK_FALSE(rig.stored(3));
  rig.know(1, {9, 10});
  rig.release(1);  // [8 9] hangs under blocks of sequence 0
  CHECK_FALSE(rig.stored(4));
  CHECK(rig.window().tree().parent(BlockId(5)) == BlockId(1));
  rig.release(0);
  CHECK(rig.add(2, counting(0, 11)) == 10);
  CHECK(rig.table(2) == Ids{0, 1, 5});
}

TEST_CASE("T9: a second copy is stored once the first has been evicted") {
  Rig rig(one_window(3));
  rig.add(0, counting(0, 4));
  rig.know(0, {4});
  rig.add(1, counting(0, 4));
  rig.know(1, {4});
  rig.release(0);
  CHECK(rig.stored(0));
  rig.add(2, counting(50, 4));
  rig.add(3, counting(60, 1));
  CHECK_FALSE(rig.stored(0));
  rig.store_context(1);  // 5 known: the full block
  CHECK(rig.stored(1));
}

TEST_CASE("T10: a table is freed tail first, so the tail is taken first") {
  Rig rig(one_window(5));
  rig.add(0, counting(0, 12));
  rig.release(0);
  CHECK(rig.queue(Level::primary, standard) == Ids{3, 4, 2, 1, 0});
}

TEST_CASE("T11: front blocks leave when a window and a block lie behind them") {
  CacheOptions options = one_window(16);
  options.windows = {{8, {16, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 10));
  CHECK(rig.table(0) == Ids{0, 1, 2});
  rig.append(0, {10});
  CHECK(rig.cache.table(SequenceId(0), 0).held().size() == 3);
  rig.append(0, {11});  // 12 = window + block: block 0
  CHECK(rig.cache.table(SequenceId(0), 0).held().size() == 2);
  CHECK(rig.free() == 14);
  rig.append(0, {12});  // 13: a new block
  CHECK(rig.table(0) == Ids{0, 1, 2, 3});
  rig.append(0, {13, 14, 15});  // 16: block 1
  CHECK(rig.cache.table(SequenceId(0), 0).held().size() == 2);
  CHECK(rig.cache.counters().detached == 2);
  rig.release(0);
  CHECK(rig.free() == 16);
}

TEST_CASE("T11: a long prompt takes all its blocks and drops what is outside at the first token") {
  CacheOptions options = one_window(16);
  options.windows = {{8, {16, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 30));
  CHECK(rig.free() == 8);
  rig.append(0, {30});
  CHECK(rig.cache.table(SequenceId(0), 0).held().size() == 3);
  CHECK(rig.free() == 13);
}

TEST_CASE("T11: sliding windows store at release only, all blocks if none was taken") {
  CacheOptions options = one_window(16);
  options.windows = {{8, {16, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 12));
  rig.store_context(0);
  rig.append(0, {12});
  rig.store_new_block(0);
  CHECK(rig.window().tree().stored_blocks() == 0);
  rig.release(0);
  CHECK(rig.window().tree().stored_blocks() == 3);
  CHECK(rig.add(1, counting(0, 12)) == 11);
}

TEST_CASE("T11: a sequence that took its own old block back is not stored (ours)") {
  CacheOptions options = one_window(3);
  options.windows = {{8, {3, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 12));
  rig.append(0, {12});  // block 0 leaves and comes back as the fourth
  CHECK(rig.table(0) == Ids{0, 1, 2, 0});
  CHECK_FALSE(rig.window().can_store(rig.cache.table(SequenceId(0), 0)));
  rig.release(0);
  CHECK(rig.window().tree().stored_blocks() == 0);
  CHECK(rig.free() == 3);
}

TEST_CASE("T11: a reused block that was taken bars the store as well (ours)") {
  CacheOptions options = one_window(4);
  options.windows = {{8, {4, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 5));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 11)) == 4);  // block 0 was allocated for another sequence
  rig.append(1, {11});
  rig.add(2, counting(50, 8));
  CHECK_FALSE(rig.window().can_store(rig.cache.table(SequenceId(1), 0)));
  rig.release(1);
  rig.release(2);
  CHECK(rig.add(3, counting(0, 11)) == 0);
}

TEST_CASE("T11: so does a reused leaf that became another's by a partial match (ours)") {
  CacheOptions options = one_window(8);
  options.windows = {{8, {8, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 5));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 11)) == 4);
  rig.append(1, {11});
  CHECK(rig.window().can_store(rig.cache.table(SequenceId(1), 0)));
  CHECK(rig.add(2, Words{0, 1, 2, 9}) == 3);
  CHECK(rig.table(2) == Ids{0});
  CHECK_FALSE(rig.window().can_store(rig.cache.table(SequenceId(1), 0)));
}

TEST_CASE("T11: a shared block that leaves one window makes no room") {
  CacheOptions options = one_window(4);
  options.windows = {{9, {4, 0}}};
  Rig rig(options);
  rig.add(0, counting(0, 5));
  rig.release(0);
  CHECK(rig.add(1, counting(0, 12)) == 4);
  CHECK(rig.add(2, counting(0, 4) + Words{9}) == 4);
  CHECK(rig.free() == 0);
  CHECK_FALSE(rig.cache.add_slot(SequenceId(1)));  // 13 = window + block, and a block is due
  rig.release(2);
  CHECK(rig.cache.add_slot(SequenceId(1)));
}

TEST_CASE("T11: a token that needs a block is refused when there is none") {
  Rig rig(one_window(2));
  rig.add(0, counting(0, 7));
  CHECK(rig.cache.add_slot(SequenceId(0)));
  CHECK_FALSE(rig.cache.add_slot(SequenceId(0)));
  CHECK(rig.cache.slots(SequenceId(0)) == 8);
  CacheOptions options = one_window(3);
  options.windows = {{8, {3, 0}}};
  Rig sliding(options);
  sliding.add(0, counting(0, 12));
  CHECK(sliding.free() == 0);
  CHECK(sliding.cache.add_slot(SequenceId(0)));  // the block that leaves makes room
}

TEST_CASE("T12: prompt blocks take their range's priority, decoded blocks their own") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 12),
          Retention({{0, 4, Priority(90), {}}, {8, {}, Priority(20), {}}}, Priority(60)));
  rig.append(0, {12});
  const auto priority = [&](std::uint32_t block) {
    return rig.window().queues().priority(BlockId(block));
  };
  CHECK(priority(0) == Priority(90));
  CHECK(priority(1) == standard);
  CHECK(priority(2) == Priority(20));
  CHECK(priority(3) == Priority(60));
  rig.release(0);
  // A reuse replaces the priority only where its request asks for one.
  rig.add(1, counting(0, 9), Retention({{4, 8, Priority(70), {}}}));
  CHECK(priority(0) == Priority(90));
  CHECK(priority(1) == Priority(70));
}

TEST_CASE("T12: a duration counts from the release, and a reuse without one ends it") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 5), prompt_at(80, millisecond * 10));
  rig.release(0);
  rig.refresh_at(millisecond * 9);
  CHECK(rig.queue(Level::primary, Priority(80)) == Ids{1, 0});
  rig.add(1, counting(0, 5));
  rig.release(1);
  rig.refresh_at(millisecond * 1000);
  CHECK(rig.queue(Level::primary, Priority(80)) == Ids{0});
}

TEST_CASE("T14: the counters of a short history") {
  Rig rig(one_window(8));
  rig.add(0, counting(0, 9));  // three misses, three new blocks
  rig.release(0);
  rig.add(1, counting(0, 9));  // two hits; the queue's front block is new
  rig.release(1);
  rig.add(2, counting(0, 7));  // one and two tokens of another: [4..7] is a free leaf
  const Counters c = rig.cache.counters();
  CHECK(c.alloc_total == 4);
  CHECK(c.alloc_new == 4);
  CHECK(c.reused == 4);
  CHECK(c.reused_unique == 2);
  CHECK(c.missed == 4);
  CHECK(c.reused_tokens == 8 + 6);
  CHECK(c.input_tokens == 25);
  CHECK(c.hit_ratio() == 0.5);
  CHECK(Counters().hit_ratio() == 0);
  Counters sum = c;
  sum += c;
  CHECK(sum.reused_tokens == 28);
}

TEST_CASE("T14: a block of a former life is not new") {
  Rig rig(one_window(2));
  rig.add(0, counting(0, 8));
  rig.release(0);
  rig.add(1, counting(50, 8));
  CHECK(rig.cache.counters().alloc_total == 4);
  CHECK(rig.cache.counters().alloc_new == 2);
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

TEST_CASE("blocks found by opaque keys share whole blocks, and a last block in part") {
  CacheOptions options = one_window(16);
  options.contents = reuse_tree::ContentKind::keys;
  Rig rig(options);
  const auto add = [&](std::uint32_t id, const Words& keys, std::uint32_t prompt) {
    const auto reused = rig.cache.add({SequenceId(id), {}, prompt, keys, {}, {}});
    rig.check();
    REQUIRE(reused.has_value());
    return *reused;
  };
  CHECK(add(0, {7, 8, 9}, 10) == 0);
  rig.cache.store_context(SequenceId(0));
  CHECK(add(1, {7, 8, 9}, 10) == 8);
  rig.cache.add_token(SequenceId(0));
  rig.release(0);  // [9] with two tokens
  CHECK(add(2, {7, 8, 9}, 11) == 10);
  CHECK(add(3, {7, 6, 9}, 10) == 4);
  for (const std::uint32_t id : {1u, 2u, 3u})
    rig.release(id);
  CHECK(rig.free() == 16);
  // Blocks beyond the keys are the sequence's own: its re-run finds them, nobody else.
  CHECK(add(4, {1}, 9) == 0);
  rig.release(4);
  CHECK(add(5, {1}, 9) == 4);
  rig.release(5);
  CHECK(add(4, {1}, 9) == 8);
}

TEST_CASE("a long decode finds its place without walking the path again") {
  // Two sequences with the same contents: the second one's blocks stay outside the tree.
  CacheOptions options = one_window(200, 0, 400);
  Rig rig(options);
  rig.add(0, counting(0, 5));
  rig.add(1, counting(0, 5));
  for (std::uint32_t id : {0u, 1u}) {
    rig.store_context(id);
    for (std::uint64_t token = 5; token < 300; ++token) {
      rig.know(id, {token});
      rig.cache.store_new_block(SequenceId(id));
      REQUIRE(rig.cache.add_slot(SequenceId(id)));
    }
    CHECK(rig.window().tree().stored_blocks() == 74);
  }
  rig.release(0);
  rig.release(1);
  CHECK(rig.window().tree().stored_blocks() == 75);
  CHECK(rig.add(2, counting(0, 300)) == 299);
}
