// SPDX-License-Identifier: Apache-2.0
// Replays of random keep sets against counts that need no cache.
#include <catch2/catch.hpp>
#include <set>

#include "sim/keep_sets/replay.hpp"
#include "tests/support/random.hpp"

using namespace vacancy;

namespace {

using Tokens = std::set<std::uint32_t>;

/// A decision about live tokens, one set of kept ones for each.
KeepSets decision(const std::vector<Tokens>& live, const std::vector<Tokens>& kept) {
  KeepSets keep;
  keep.reset(live.size());
  for (std::size_t set = 0; set < live.size(); ++set) {
    const auto mask = keep.begin(set, static_cast<std::uint32_t>(live[set].size()));
    std::size_t i = 0;
    for (const std::uint32_t token : live[set]) {
      if (kept[set].contains(token)) bits::set(mask, i);
      ++i;
    }
  }
  return keep;
}

std::uint64_t blocks(std::uint64_t tokens, std::uint64_t block_size) {
  return (tokens + block_size - 1) / block_size;
}

}  // namespace

TEST_CASE("blocks come back as counting by hand says, for every layout and way", "[property]") {
  test::Random random(5);
  for (int round = 0; round < 300; ++round) {
    const KeepSetAxes axes{random.of({1u, 3u}), random.of({1u, 2u}), 3, 2};
    const std::uint32_t b = random.of({1u, 4u, 7u, 16u});
    std::vector<std::unique_ptr<KeepSetReplay>> replays;
    for (const auto& table : EnumNames<TableKind>::table)
      for (const ReclaimerEntry& entry : reclaimers()) {
        CacheConfig cache;
        cache.block_size = b;
        cache.layout = axes.layout(table.value);
        replays.push_back(std::make_unique<KeepSetReplay>(cache, axes, entry));
      }
    std::vector<Tokens> live(axes.sets());
    std::uint32_t length = 0;
    std::uint64_t dropped = 0;
    const std::uint32_t share = 1 + random.below(6);
    for (int step = 0; step < 4; ++step) {
      const std::uint32_t more = random.below(60) + (step == 0 ? 1 : 0);
      for (Tokens& tokens : live)
        for (std::uint32_t i = 0; i < more; ++i)
          tokens.insert(length + i);
      length += more;
      std::vector<Tokens> kept(live.size());
      for (std::size_t set = 0; set < live.size(); ++set)
        for (const std::uint32_t token : live[set])
          if (random.one_in(share)) kept[set].insert(token);
      const KeepSets keep = decision(live, kept);
      for (const auto& replay : replays)
        replay->step(more, &keep);
      for (std::size_t set = 0; set < live.size(); ++set)
        dropped += live[set].size() - kept[set].size();
      live = kept;
    }
    for (const auto& replay : replays) {
      if (!replay->obstacle().empty()) {
        CHECK(replay->reclaimer().whole_blocks());
        continue;
      }
      replay->cache().check_invariants();
      const CacheLayout& layout = replay->config().layout;
      const std::string& way = replay->reclaimer().info.name;
      INFO(way << ' ' << enum_name(layout.table_kind()) << " blocks of " << b);
      const Summary::Reclaim figures = replay->summary().reclaim;
      // Each set is dropped from once on each table where it stands.
      const std::uint64_t places = std::uint64_t{layout.tables()} * layout.sets_per_table();
      CHECK(figures.evicted_set_tokens == dropped * places / axes.sets());
      std::uint64_t packed = 0, untouched = 0;
      for (std::uint32_t table = 0; table < layout.tables(); ++table) {
        std::size_t fullest = 0;
        Tokens held;
        for (std::uint32_t set = 0; set < layout.sets_per_table(); ++set) {
          const Tokens& mine = live[layout.policy_set(table, set)];
          fullest = std::max(fullest, mine.size());
          held.insert(mine.begin(), mine.end());
        }
        packed += blocks(fullest, b);
        Tokens entries;
        for (const std::uint32_t token : held)
          entries.insert(token / b);
        if (length % b != 0) entries.insert(length / b);  // the next token goes there
        untouched += entries.size();
      }
      const bool stays = way == "none" || replay->reclaimer().whole_blocks();
      CHECK(replay->held_blocks() == (stays ? untouched : packed));
      if (stays) {
        CHECK(figures.moved_set_tokens == 0);
        if (way == "none")
          CHECK(figures.blocks_freed_by_eviction ==
                static_cast<std::int64_t>(blocks(length, b) * layout.tables() - untouched));
      }
    }
  }
}

TEST_CASE("counts of sequences add up") {
  Summary::Reclaim a, b;
  a.block_size = b.block_size = 16;
  a.evicted_set_tokens = 100;
  b.evicted_set_tokens = 60;
  a.blocks_freed_by_eviction = 4;
  b.blocks_freed_by_eviction = 1;
  b.moved(MoveCause::slide) = Bytes(7);
  add_counts(a, b);
  CHECK(a.reclaim_efficiency() == 0.5);
  CHECK(a.bytes_moved() == Bytes(7));
}
