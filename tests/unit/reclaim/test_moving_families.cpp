// SPDX-License-Identifier: Apache-2.0
// What slide, fill_holes and fullest_blocks move, against the definitions of spec policies §5 and
// block_aware §2.
#include <algorithm>
#include <bit>
#include <catch2/catch.hpp>
#include <memory>
#include <set>

#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/registry.hpp"
#include "tests/support/kv_memory.hpp"
#include "tests/support/parameter_values.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;
using vacancy::test::Random;

namespace {

const std::vector<std::string> moving = {"slide", "fill_holes", "fullest_blocks"};

/// A sequence in a cache of its own, whose survivors are given and whose moves are counted.
struct Compacted {
  Compacted(const CacheLayout& layout, std::uint32_t block_size, std::uint32_t tokens,
            const ReclaimRules& reclaim_rules = {})
      : rules(reclaim_rules),
        config{block_size, std::nullopt, layout, Bytes(block_size * layout.sets_per_table()),
               FreeOrder::append},
        memory(config),
        cache(config, memory) {
    know(0);
    cache.start(SequenceId(0), 0);
    REQUIRE(cache.append(SequenceId(0), tokens));
  }

  /// All sequences are about the same text.
  void know(std::uint32_t id) {
    Request request;
    request.id = SequenceId(id);
    request.contents = {{7}, 10'000, 10'000, 0};
    memory.know(request);
  }

  /// keep[set][position]. Returns moves of all sets.
  std::uint64_t round(const std::string& kind, const std::vector<std::vector<bool>>& keep) {
    cache.settle(SequenceId(0));
    KeepSets sets;
    sets.reset(config.layout.policy_sets());
    for (std::uint32_t set = 0; set < keep.size(); ++set) {
      std::vector<BlockTable::LiveSlot> live;
      const auto place = config.layout.first_place(set);
      table(place.table).list_live(place.set, live);
      const auto mask = sets.begin(set, static_cast<std::uint32_t>(live.size()));
      for (std::size_t i = 0; i < live.size(); ++i)
        if (keep[set][live[i].token]) bits::set(mask, i);
    }
    cache.evict(SequenceId(0), sets);
    ReclaimPlan plan;
    plan.tables.resize(config.layout.tables());
    const ReclaimerEntry* entry = find_reclaimer(kind);
    REQUIRE(entry);
    make_reclaimer(*entry, test::values_of(entry->info), rules)
        ->plan(cache.sequence(SequenceId(0)), cache.pool(), plan);
    const Bytes bytes = cache.reclaim(SequenceId(0), plan).bytes_moved;
    cache.check_invariants();
    if (const auto fault = memory.fault()) FAIL(*fault);
    return bytes.value() / 2;  // a slot of a set has one byte
  }
  const BlockTable& table(std::uint32_t index) const {
    return cache.sequence(SequenceId(0)).tables[index];
  }
  std::set<std::uint32_t> tokens(std::uint32_t index, std::uint32_t set) const {
    std::set<std::uint32_t> all;
    table(index).for_each_live(set, [&](std::uint32_t, std::uint32_t t) { all.insert(t); });
    return all;
  }

  ReclaimRules rules;
  CacheConfig config;
  test::KvMemory memory;
  KvCache cache;
};

CacheLayout one_set() {
  return {1, 1, TableKind::shared, Scope::model};
}

std::vector<bool> keep_of(std::uint32_t tokens, std::initializer_list<std::uint32_t> kept) {
  std::vector<bool> keep(tokens, false);
  for (const std::uint32_t token : kept)
    keep[token] = true;
  return keep;
}

std::uint64_t moves(const std::string& kind, std::uint32_t block_size,
                    const std::vector<bool>& keep) {
  Compacted cache(one_set(), block_size, static_cast<std::uint32_t>(keep.size()));
  return cache.round(kind, {keep});
}

/// Moves with the survivors in the best blocks of all choices that hold the newest one.
std::uint64_t fewest_moves(std::uint32_t b, const std::vector<bool>& keep) {
  const std::size_t entries = (keep.size() + b - 1) / b;
  std::vector<std::uint32_t> live(entries, 0);
  std::uint32_t all = 0;
  for (std::size_t i = 0; i < keep.size(); ++i)
    if (keep[i]) ++live[i / b], ++all;
  const std::size_t blocks = (all + b - 1) / b;
  std::uint32_t most = 0;
  for (std::uint32_t choice = 0; choice < (1u << entries); ++choice) {
    if (static_cast<std::size_t>(std::popcount(choice)) != blocks) continue;
    if (blocks > 0 && (choice >> (entries - 1) & 1) == 0) continue;
    std::uint32_t stay = 0;
    for (std::size_t entry = 0; entry < entries; ++entry)
      if (choice >> entry & 1) stay += live[entry];
    most = std::max(most, stay);
  }
  return all - most;
}

}  // namespace

TEST_CASE("BA-1 of spec block_aware: 7, 3 and 2 moves bring eight survivors into two blocks") {
  // The eight best of four blocks of 4, and a newest block with one token, which must stay.
  const auto keep = keep_of(17, {0, 4, 5, 6, 7, 8, 9, 12, 16});
  CHECK(moves("slide", 4, keep) == 7 + 1);
  CHECK(moves("fill_holes", 4, keep) == 3);
  CHECK(moves("fullest_blocks", 4, keep) == 2);
}

TEST_CASE("each family moves as much as its definition says, and all leave the same blocks") {
  Random random(11);
  for (int round = 0; round < 3000; ++round) {
    const std::uint32_t b = random.of({1u, 2u, 3u, 4u, 8u});
    const std::uint32_t tokens = 1 + random.below(10 * b);
    const std::uint32_t of_ten = random.below(11);
    std::vector<bool> keep(tokens);
    for (std::uint32_t i = 0; i < tokens; ++i)
      keep[i] = random.below(10) < of_ten;
    const auto survivors = static_cast<std::uint32_t>(std::count(keep.begin(), keep.end(), true));
    // Holes below the number of survivors; survivors behind the first hole.
    const auto holes =
        static_cast<std::uint64_t>(std::count(keep.begin(), keep.begin() + survivors, false));
    const auto first_hole = std::find(keep.begin(), keep.end(), false);
    const auto behind = static_cast<std::uint64_t>(std::count(first_hole, keep.end(), true));
    INFO("round " << round << ", B " << b << ", " << survivors << " of " << tokens);
    for (const std::string& kind : moving) {
      INFO(kind);
      Compacted cache(one_set(), b, tokens);
      const std::uint64_t moved = cache.round(kind, {keep});
      CHECK(moved == (kind == "slide"        ? behind
                      : kind == "fill_holes" ? holes
                                             : fewest_moves(b, keep)));
      CHECK(cache.cache.pool().held() == (survivors + b - 1) / b);
      std::set<std::uint32_t> expected;
      for (std::uint32_t i = 0; i < tokens; ++i)
        if (keep[i]) expected.insert(i);
      CHECK(cache.tokens(0, 0) == expected);
    }
  }
}

TEST_CASE("E-44: sets that share a table: the same tokens and as many blocks in every family") {
  Random random(12);
  for (int trial = 0; trial < 300; ++trial) {
    const std::uint32_t b = random.of({2u, 4u, 16u});
    const CacheLayout layout(
        2, 2, random.of({TableKind::shared, TableKind::per_layer, TableKind::per_layer_per_head}),
        random.of({Scope::per_layer, Scope::per_head, Scope::per_layer_per_head}));
    const std::uint32_t tokens = 1 + random.below(12 * b);
    std::vector<std::unique_ptr<Compacted>> all;
    for (std::size_t i = 0; i < moving.size(); ++i)
      all.push_back(std::make_unique<Compacted>(layout, b, tokens));
    std::uint32_t length = tokens;
    for (int round = 0; round < 4; ++round) {
      std::vector<std::vector<bool>> keep(layout.policy_sets(), std::vector<bool>(length));
      for (auto& set : keep)
        for (std::uint32_t i = 0; i < length; ++i)
          set[i] = random.one_in(2);
      for (std::size_t i = 0; i < moving.size(); ++i)
        all[i]->round(moving[i], keep);
      for (std::uint32_t t = 0; t < layout.tables(); ++t)
        for (std::uint32_t set = 0; set < layout.sets_per_table(); ++set) {
          CHECK(all[1]->tokens(t, set) == all[0]->tokens(t, set));
          CHECK(all[2]->tokens(t, set) == all[0]->tokens(t, set));
        }
      CHECK(all[1]->cache.pool().held() == all[0]->cache.pool().held());
      CHECK(all[2]->cache.pool().held() <= all[0]->cache.pool().held() + layout.tables());
      const std::uint32_t more = random.below(2 * b);
      for (auto& each : all)
        REQUIRE(each->cache.append(SequenceId(0), more));
      length += more;
    }
  }
}

TEST_CASE("blocks that another sequence shares are left alone") {
  for (const std::string& kind : moving) {
    INFO(kind);
    Compacted cache(one_set(), 4, 18);
    cache.cache.fork(SequenceId(0), SequenceId(1));
    cache.know(1);
    REQUIRE(cache.cache.append(SequenceId(0), 10));  // copies the last block, then its own
    const auto keep = keep_of(28, {1, 2, 9, 17, 20, 25, 26, 27});
    cache.round(kind, {keep});
    // 0 to 15 shared: blocks 1 and 3 are let go, not rewritten. 17 and 20 to 27 fill two.
    CHECK(cache.table(0).entries().size() == 2 + 2);
    CHECK(cache.cache.sequence(SequenceId(1)).tables[0].live_count(0) == 18);
    CHECK(cache.tokens(0, 0) == std::set<std::uint32_t>{1, 2, 9, 17, 20, 25, 26, 27});
  }
}
