// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <set>

#include "sim/pool/kv_cache.hpp"
#include "tests/support/random.hpp"
#include "tests/support/reclaimers.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/shadow_cache.hpp"

using namespace vacancy;
using vacancy::test::Random;
using vacancy::test::scaled;
using vacancy::test::ShadowCache;

namespace {

/// The cache's own tables against the ones rebuilt from its events, and the pool against both.
void compare(const KvCache& cache, const ShadowCache& shadow) {
  REQUIRE(cache.sequences().size() == shadow.sequences().size());
  for (const auto& [id, sequence] : cache.sequences()) {
    const auto& tables = shadow.sequences().at(id);
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const BlockTable& table = sequence.tables[t];
      REQUIRE(table.length() == tables[t].length);
      REQUIRE(std::vector(table.entries().begin(), table.entries().end()) == tables[t].entries);
      for (std::uint32_t s = 0; s < table.sets(); ++s) {
        std::vector<std::optional<std::uint32_t>> token_at(table.length());
        table.for_each_live(
            s, [&](std::uint32_t slot, std::uint32_t token) { token_at[slot] = token; });
        REQUIRE(token_at == tables[t].token_at[s]);
      }
    }
  }
  const auto references = shadow.references();
  REQUIRE(cache.pool().held() == references.size());
  for (const auto& [block, count] : references)
    REQUIRE(cache.pool().references(block) == count);
}

/// A prefix index that knows only which blocks it may find.
struct FoundBlocks final : CachedContents {
  void forget(std::span<const BlockId> gone) override {
    for (const BlockId block : gone)
      forget(block);
  }
  void forget(BlockId block) {
    if (blocks.erase(block) == 0) std::abort();
  }
  std::set<BlockId> blocks;
};

/// A random choice of blocks with cached contents, each once, with null entries where a window
/// would be.
std::vector<BlockId> random_prefix(Random& random, const FoundBlocks& found, std::size_t tables) {
  std::vector<BlockId> blocks(found.blocks.begin(), found.blocks.end());
  for (std::size_t i = blocks.size(); i > 1; --i)
    std::swap(blocks[i - 1], blocks[random.below(static_cast<std::uint32_t>(i))]);
  blocks.resize(blocks.size() / tables * tables);
  if (blocks.size() > 4 * tables) blocks.resize(4 * tables);
  const std::size_t entries = blocks.size() / tables;
  for (std::size_t entry = 0; entry < entries; ++entry)
    if (random.below(5) == 0)
      for (std::size_t table = 0; table < tables; ++table)
        blocks[table * entries + entry] = null_block;
  return blocks;
}

/// Marks the blocks of a sequence as found that are complete: no hole in any set.
void cache_complete_entries(KvCache& cache, FoundBlocks& found, SequenceId id) {
  for (std::uint32_t t = 0; t < cache.sequence(id).tables.size(); ++t) {
    const BlockTable& table = cache.sequence(id).tables[t];
    for (std::uint32_t entry = 0; entry < table.entries().size(); ++entry) {
      const BlockId block = table.entries()[entry];
      if (block == null_block || table.live_pairs(entry) != table.block_size() * table.sets() ||
          cache.pool().live(block) != table.block_size())
        continue;
      cache.set_cached(id, t, entry, std::vector<ContentId>{{id.value(), entry, t}});
      found.blocks.insert(block);
    }
  }
}

/// Keep sets of random sizes and places: nothing, everything, ragged, clustered.
KeepSets random_choice(Random& random, const KvCache& cache, const CachedSequence& sequence) {
  const CacheLayout& layout = cache.config().layout;
  KeepSets keep;
  keep.reset(layout.policy_sets());
  for (std::uint32_t set = 0; set < layout.policy_sets(); ++set) {
    const auto place = layout.first_place(set);
    const std::uint32_t live = sequence.tables[place.table].live_count(place.set);
    auto mask = keep.begin(set, live);
    const std::uint32_t percent = random.of({0u, 5u, 20u, 50u, 95u, 100u});
    const std::uint32_t run = random.of({1u, 1u, 8u, 40u});
    bool stays = false;
    for (std::uint32_t i = 0; i < live; ++i) {
      if (i % run == 0) stays = random.below(100) < percent;
      if (stays) bits::set(mask, i);
    }
  }
  return keep;
}

}  // namespace

TEST_CASE(
    "random appends, evictions, reclaims, forks, prefixes, windows and ends keep every invariant",
    "[property]") {
  const auto seed = GENERATE(range(0u, scaled(200)));
  INFO("seed " << seed);
  Random random(seed);
  const std::uint32_t layers = 1 + random.below(3), heads = 1 + random.below(3);
  const auto table =
      random.of({TableKind::shared, TableKind::per_layer, TableKind::per_layer_per_head});
  const auto scope =
      random.of({Scope::model, Scope::per_layer, Scope::per_head, Scope::per_layer_per_head});
  CacheConfig config;
  config.block_size = random.of({1u, 2u, 3u, 4u, 8u, 16u, 64u, 100u});
  if (random.below(3) > 0) config.blocks = 1 + random.below(200);
  config.blocks_per_page = 3;
  config.layout = CacheLayout(layers, heads, table, scope);
  config.block_bytes = Bytes(config.block_size * config.layout.sets_per_table() * 64);
  ShadowCache shadow(config);
  config.free_order = random.of({FreeOrder::append, FreeOrder::uncached_first});
  FoundBlocks found;
  KvCache cache(config, shadow, &found);

  const std::vector<std::unique_ptr<Reclaimer>> kinds = test::all_reclaimers();
  std::vector<SequenceId> ids;
  std::uint32_t next_id = 0;
  const auto any = [&] { return ids[random.below(static_cast<std::uint32_t>(ids.size()))]; };

  for (int operation = 0; operation < 120; ++operation) {
    const std::uint32_t choice = random.below(16);
    if (ids.empty() || (choice == 0 && ids.size() < 6)) {
      ids.push_back(SequenceId(next_id++));
      cache.start(ids.back(), random.below(50));
    } else if (choice == 1 && ids.size() < 6) {
      const SequenceId parent = any();
      ids.push_back(SequenceId(next_id++));
      cache.fork(parent, ids.back());
    } else if (choice == 2 || choice == 12) {
      const SequenceId gone = any();
      ids.erase(std::find(ids.begin(), ids.end(), gone));
      choice == 2 ? cache.finish(gone) : cache.preempt(gone);
    } else if (choice == 13) {
      cache_complete_entries(cache, found, any());
    } else if (choice == 14) {
      // Sets that stand on several tables lose the same tokens on all of them. After a round these
      // may stand in other places: what tables share is not alike.
      const SequenceId id = any();
      const bool alike =
          config.layout.policy_sets() == config.layout.tables() * config.layout.sets_per_table();
      if (!alike && cache.sequence(id).rounds > 0) continue;
      const std::uint32_t first = random.below(cache.sequence(id).next_position + 1);
      for (std::uint32_t t = 0; t < config.layout.tables(); ++t)
        cache.leave_window(id, t, first);
    } else if (choice == 15 && ids.size() < 6) {
      ids.push_back(SequenceId(next_id++));
      cache.start(ids.back(), 0);
      cache.adopt(ids.back(), random_prefix(random, found, config.layout.tables()));
    } else if (choice < 8) {
      const SequenceId id = any();
      const std::uint32_t count = random.below(random.of({2u, 20u, 150u}));
      const auto needed = cache.blocks_needed(id, count);
      const auto available = cache.pool().available();
      const auto before = cache.pool().slots();
      const bool fits = cache.append(id, count);
      REQUIRE(fits == (needed <= available));
      if (!fits) REQUIRE(cache.pool().slots() == before);
      if (fits) REQUIRE(cache.pool().available() + needed == available);
    } else {
      const SequenceId id = any();
      const std::int64_t held = cache.pool().held();
      const auto result =
          test::run_round(cache, id, random_choice(random, cache, cache.sequence(id)),
                          *kinds[random.below(static_cast<std::uint32_t>(kinds.size()))]);
      REQUIRE(held - cache.pool().held() == (result ? result->blocks_freed : 0));
    }
    cache.check_invariants();
    compare(cache, shadow);
    for (std::uint32_t block = 0; block < cache.pool().created(); ++block)
      REQUIRE(cache.pool().cached(BlockId(block)) == (found.blocks.count(BlockId(block)) == 1));
  }
  for (const SequenceId id : ids)
    cache.finish(id);
  cache.check_invariants();
  CHECK(cache.pool().held() == 0);
  CHECK(cache.pool().slots() == SlotCounts{});
}
