// SPDX-License-Identifier: Apache-2.0
// Rules T9, T10, T12 and T14 of spec engines §3, what becomes findable when, by hand-worked
// situations. The ranges of T12 are in test_retention.cpp.
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;

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
