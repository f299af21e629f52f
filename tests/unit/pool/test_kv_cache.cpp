// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <numeric>

#include "sim/metrics/closed_forms.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/registry.hpp"
#include "tests/support/parameter_values.hpp"

using namespace vacancy;

namespace {

struct Silent final : Observer {
  void on_event(const Event&) override {}
};

CacheConfig config_of(std::uint32_t block_size, std::optional<std::uint32_t> blocks,
                      CacheLayout layout = {1, 1, TableKind::shared, Scope::model}) {
  return {block_size, blocks, layout, Bytes(block_size * 64)};
}

/// Keeps the live tokens whose ordinal `stays` names, in every set.
template <class F>
void evict(KvCache& cache, SequenceId id, F&& stays) {
  const CacheLayout& layout = cache.config().layout;
  KeepSets keep;
  keep.reset(layout.policy_sets());
  for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
    const auto place = layout.first_place(set);
    const std::uint32_t live = cache.sequence(id).tables[place.table].live_count(place.set);
    auto mask = keep.begin(set, live);
    for (std::uint32_t i = 0; i < live; ++i)
      if (stays(set, i)) bits::set(mask, i);
  }
  cache.evict(id, keep);
}

KvCache::Reclaimed reclaim(KvCache& cache, SequenceId id, const char* kind) {
  ReclaimPlan plan;
  plan.tables.resize(cache.config().layout.tables());
  const ReclaimerEntry& entry = *find_reclaimer(kind);
  make_reclaimer(entry, test::values_of(entry.info))->plan(cache.sequence(id), cache.pool(), plan);
  return cache.reclaim(id, plan);
}

std::vector<std::uint32_t> live_tokens(const KvCache& cache, SequenceId id, std::uint32_t set = 0) {
  std::vector<std::uint32_t> tokens;
  cache.sequence(id).tables[0].for_each_live(
      set, [&](std::uint32_t, std::uint32_t token) { tokens.push_back(token); });
  return tokens;
}

const SequenceId a(0), b(1);

}  // namespace

TEST_CASE("an append takes ceil(T/B) blocks, all or nothing") {
  Silent silent;
  KvCache cache(config_of(16, 3), silent);
  cache.start(a, 0);
  CHECK(cache.append(a, 33));
  CHECK(cache.pool().held() == 3);
  CHECK(cache.pool().slots() == SlotCounts{48, 33, 0, 15});
  CHECK_FALSE(cache.append(a, 16));
  CHECK(cache.sequence(a).next_position == 33);
  CHECK(cache.append(a, 15));
  CHECK(cache.pool().slots() == SlotCounts{48, 48, 0, 0});
}

TEST_CASE("V10: freed blocks go tail first; or head first, where that is chosen") {
  for (const FreeOrder order : {FreeOrder::append, FreeOrder::append_forward}) {
    Silent silent;
    CacheConfig config = config_of(4, 5);
    config.free_order = order;
    KvCache cache(config, silent);
    cache.start(a, 0);
    REQUIRE(cache.append(a, 12));
    cache.finish(a);
    std::vector<std::uint32_t> queue;
    cache.pool().free_queue().for_each([&](BlockId block) { queue.push_back(block.value()); });
    CHECK(queue == (order == FreeOrder::append ? std::vector<std::uint32_t>{3, 4, 2, 1, 0}
                                               : std::vector<std::uint32_t>{3, 4, 0, 1, 2}));
  }
}

TEST_CASE("one survivor pins its block; an empty block returns at once") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 16));
  evict(cache, a, [](auto, std::uint32_t i) { return i == 5; });
  CHECK(reclaim(cache, a, "none").blocks_freed == 3);
  CHECK(cache.sequence(a).tables[0].entries()[0] == null_block);
  CHECK(cache.sequence(a).tables[0].entries()[1] == BlockId(1));
  CHECK(cache.pool().slots() == SlotCounts{4, 1, 3, 0});
  CHECK(live_tokens(cache, a) == std::vector<std::uint32_t>{5});
  // The next token goes behind the table's end, not into a hole.
  REQUIRE(cache.append(a, 1));
  CHECK(cache.pool().held() == 2);
  CHECK(live_tokens(cache, a) == std::vector<std::uint32_t>{5, 16});
}

TEST_CASE("an emptied block under a partial end stays for the next token (I5)") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 6));
  evict(cache, a, [](auto, std::uint32_t i) { return i == 0; });
  CHECK(reclaim(cache, a, "none").blocks_freed == 0);
  REQUIRE(cache.append(a, 1));
  CHECK(cache.pool().held() == 2);
}

// E-40: freed = ceil(T/B) − ceil(T'/B) for every (T, T', B), T' = 0 and T' = T included.
TEST_CASE("slide frees the difference of the two lengths in blocks") {
  for (const std::uint32_t block : {1u, 2u, 4u, 16u, 100u}) {
    for (const std::uint32_t before : {0u, 1u, 15u, 16u, 17u, 64u, 101u}) {
      for (std::uint32_t after = 0; after <= before; after += 1 + before / 7) {
        INFO("T " << before << ", T' " << after << ", B " << block);
        Silent silent;
        KvCache cache(config_of(block, std::nullopt), silent);
        cache.start(a, 0);
        REQUIRE(cache.append(a, before));
        // Any `after` tokens: every stride-th, then the rest from the front.
        const std::uint32_t skip = before - after;
        evict(cache, a, [&](auto, std::uint32_t i) { return (i * 7919u) % before >= skip; });
        const auto kept = live_tokens(cache, a);
        const auto result = reclaim(cache, a, "slide");
        CHECK(result.blocks_freed ==
              static_cast<std::int64_t>(blocks_freed_by_compaction(before, kept.size(), block)));
        CHECK(live_tokens(cache, a) == kept);  // a gather that keeps order
        CHECK(cache.pool().slots().hole == 0);
        cache.check_invariants();
      }
    }
  }
}

TEST_CASE("slide moves only tokens behind the first hole and meters both directions") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);  // 64 bytes a slot
  cache.start(a, 0);
  REQUIRE(cache.append(a, 16));
  evict(cache, a, [](auto, std::uint32_t i) { return i < 3 || i == 7 || i == 9; });
  const auto result = reclaim(cache, a, "slide");
  CHECK(result.blocks_freed == 2);
  CHECK(result.bytes_moved == Bytes(2 * 2 * 64));
}

TEST_CASE("sets of different sizes on one table: the longest decides (I4)") {
  Silent silent;
  KvCache cache(config_of(4, 8, {2, 1, TableKind::shared, Scope::per_layer}), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 16));
  evict(cache, a, [](std::uint32_t set, std::uint32_t i) { return i % (set == 0 ? 2 : 8) == 0; });
  CHECK(reclaim(cache, a, "slide").blocks_freed == 2);
  CHECK(live_tokens(cache, a, 0) == std::vector<std::uint32_t>{0, 2, 4, 6, 8, 10, 12, 14});
  CHECK(live_tokens(cache, a, 1) == std::vector<std::uint32_t>{0, 8});
  REQUIRE(cache.append(a, 1));
  CHECK(live_tokens(cache, a, 1) == std::vector<std::uint32_t>{0, 8, 16});
  cache.check_invariants();
}

TEST_CASE("a fork shares blocks; the first write into a shared block copies it") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 6));
  cache.fork(a, b);
  CHECK(cache.pool().held() == 2);
  REQUIRE(cache.append(b, 1));
  CHECK(cache.pool().held() == 3);
  CHECK(cache.pool().references(BlockId(0)) == 2);
  CHECK(cache.pool().references(BlockId(1)) == 1);
  // E-39: evicting in one does not touch the other.
  evict(cache, b, [](auto, std::uint32_t i) { return i >= 4; });
  CHECK(reclaim(cache, b, "none").blocks_freed == 0);  // only dereferenced
  CHECK(cache.pool().references(BlockId(0)) == 1);
  CHECK(live_tokens(cache, a) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5});
  cache.check_invariants();
}

TEST_CASE("slide leaves shared blocks alone and packs the private suffix") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 8));
  cache.fork(a, b);
  REQUIRE(cache.append(b, 8));
  evict(cache, b, [](auto, std::uint32_t i) { return i == 1 || i == 9 || i == 14; });
  CHECK(reclaim(cache, b, "slide").blocks_freed == 1);
  CHECK(live_tokens(cache, b) == std::vector<std::uint32_t>{1, 9, 14});
  CHECK(live_tokens(cache, a).size() == 8);
  cache.check_invariants();
}

TEST_CASE("whole blocks leave the table without a move and later entries close up") {
  Silent silent;
  KvCache cache(config_of(4, 8), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 14));
  evict(cache, a, [](auto, std::uint32_t i) { return i / 4 == 1 || i / 4 == 3; });
  const auto result = reclaim(cache, a, "whole_block");
  CHECK(result.blocks_freed == 2);
  CHECK(result.bytes_moved == Bytes(0));
  const auto entries = cache.sequence(a).tables[0].entries();
  CHECK(std::vector(entries.begin(), entries.end()) ==
        std::vector<BlockId>{BlockId(1), BlockId(3)});
  REQUIRE(cache.append(a, 2));
  CHECK(cache.pool().slots() == SlotCounts{8, 8, 0, 0});
  CHECK(live_tokens(cache, a) == std::vector<std::uint32_t>{4, 5, 6, 7, 12, 13, 14, 15});
  cache.check_invariants();
}

TEST_CASE("blocks of an ended sequence return tail first, behind those already free (V10)") {
  Silent silent;
  KvCache cache(config_of(1, 6), silent);
  cache.start(a, 0);
  REQUIRE(cache.append(a, 4));
  cache.finish(a);
  std::vector<std::uint32_t> order;
  cache.pool().free_queue().for_each([&](BlockId block) { order.push_back(block.value()); });
  CHECK(order == std::vector<std::uint32_t>{4, 5, 3, 2, 1, 0});
}

// vllm#42273: a table still listed a block that eviction had freed through another.
TEST_CASE("E-41: a block that was freed stands in no table, of no layer and no window") {
  const auto stale = [](const KvCache& cache) {
    std::size_t entries = 0;
    for (const auto& [id, sequence] : cache.sequences())
      for (const BlockTable& table : sequence.tables)
        for (const BlockId block : table.entries())
          entries += block != null_block && cache.pool().references(block) == 0;
    return entries;
  };
  for (const char* kind :
       {"none", "slide", "fill_holes", "fullest_blocks", "whole_block", "copy_out"}) {
    INFO(kind);
    Silent silent;
    KvCache cache(config_of(4, 90, {3, 1, TableKind::per_layer, Scope::per_layer}), silent);
    cache.start(a, 0);
    REQUIRE(cache.append(a, 32));
    cache.fork(a, b);
    REQUIRE(cache.append(b, 9));
    const std::uint32_t held = cache.pool().held();
    // Each layer drops other blocks; layer 2 also leaves its window.
    evict(cache, b, [](std::uint32_t set, std::uint32_t i) { return i / 4 != 8 + set && i > 2; });
    reclaim(cache, b, kind);
    CHECK(stale(cache) == 0);
    cache.leave_window(a, 2, 18);
    CHECK(stale(cache) == 0);
    evict(cache, a, [](std::uint32_t set, std::uint32_t i) { return i / 4 != set; });
    reclaim(cache, a, kind);
    CHECK(stale(cache) == 0);
    cache.finish(b);
    CHECK(stale(cache) == 0);
    CHECK(cache.pool().held() < held);
    // What was freed comes back to one table only.
    REQUIRE(cache.append(a, 40));
    cache.start(b, 0);
    REQUIRE(cache.append(b, 20));
    cache.check_invariants();
  }
}

TEST_CASE("an unlimited pool keeps cached contents and makes no block that nobody takes") {
  BlockPool pool(16, std::nullopt);
  std::vector<BlockId> first;
  for (int i = 0; i < 3; ++i)
    first.push_back(pool.allocate());
  for (const BlockId block : first)
    pool.set_cached(block, true);
  pool.release(first);
  for (std::uint32_t next = 3; next < 8; ++next)
    CHECK(pool.allocate() == BlockId(next));
  CHECK(pool.created() == 8);
  for (const BlockId block : first)
    CHECK(pool.cached(block));
}
