// SPDX-License-Identifier: Apache-2.0
// Rule T11 of spec engines §3, what leaves a sliding window, by hand-worked situations.
#include "tests/unit/prefix/reuse_tree/rig.hpp"

using namespace vacancy;
using namespace vacancy::test;

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
