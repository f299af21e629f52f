// SPDX-License-Identifier: Apache-2.0
// Compaction of sequences that share a prefix, against the law of spec policies §5.4.
#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <optional>

#include "sim/metrics/closed_forms.hpp"
#include "tests/support/kv_memory.hpp"
#include "tests/support/random.hpp"
#include "tests/support/reclaimers.hpp"

using namespace vacancy;
using vacancy::test::Random;

namespace {

constexpr std::uint32_t token_bytes = 8;

struct Contents final : CachedContents {
  void forget(std::span<const BlockId>) override {}
};

/// Sequences that begin with the same blocks, all about one text.
struct Sharers {
  Sharers(std::uint32_t block_size, std::optional<std::uint32_t> blocks = std::nullopt)
      : config{block_size,
               blocks,
               {1, 1, TableKind::shared, Scope::model},
               Bytes(std::uint64_t{block_size} * token_bytes),
               FreeOrder::append},
        memory(config),
        cache(config, memory, &contents) {}

  void know(SequenceId id) {
    Request request;
    request.id = id;
    request.contents = {{7}, 100'000, 100'000, 0};
    memory.know(request);
  }
  /// A sequence of its own prefix blocks, which others can find from now on.
  void first(std::uint32_t prefix_blocks, std::uint32_t own_tokens) {
    know(SequenceId(0));
    cache.start(SequenceId(0), 0);
    REQUIRE(cache.append(SequenceId(0), prefix_blocks * config.block_size));
    std::vector<ContentId> ids(prefix_blocks);
    for (std::uint32_t i = 0; i < prefix_blocks; ++i)
      ids[i] = {7, i, 0};
    cache.set_cached(SequenceId(0), 0, 0, ids);
    REQUIRE(cache.append(SequenceId(0), own_tokens));
    const auto entries = cache.sequence(SequenceId(0)).tables[0].entries();
    prefix.assign(entries.begin(), entries.begin() + prefix_blocks);
  }
  void another(SequenceId id, std::uint32_t own_tokens) {
    know(id);
    cache.start(id, 0);
    cache.adopt(id, prefix);
    REQUIRE(cache.append(id, own_tokens));
  }

  /// Keeps the tokens that stays(position) names. Nothing where the round is declined.
  template <class F>
  std::optional<KvCache::Reclaimed> round(SequenceId id, const Reclaimer& reclaimer, F&& stays) {
    cache.settle(id);
    std::vector<BlockTable::LiveSlot> live;
    cache.sequence(id).tables[0].list_live(0, live);
    KeepSets keep;
    keep.reset(1);
    const auto mask = keep.begin(0, static_cast<std::uint32_t>(live.size()));
    for (std::size_t i = 0; i < live.size(); ++i)
      if (stays(live[i].token)) bits::set(mask, i);
    const auto done = test::run_round(cache, id, keep, reclaimer);
    cache.check_invariants();
    if (const auto fault = memory.fault()) FAIL(*fault);
    return done;
  }
  std::vector<std::uint32_t> tokens(SequenceId id) const {
    std::vector<BlockTable::LiveSlot> live;
    cache.sequence(id).tables[0].list_live(0, live);
    std::vector<std::uint32_t> all;
    for (const auto& one : live)
      all.push_back(one.token);
    return all;
  }
  std::vector<BlockId> blocks(SequenceId id) const {
    const auto entries = cache.sequence(id).tables[0].entries();
    return {entries.begin(), entries.end()};
  }

  CacheConfig config;
  test::KvMemory memory;
  Contents contents;
  KvCache cache;
  std::vector<BlockId> prefix;
};

std::unique_ptr<Reclaimer> made(const std::string& kind, const ReclaimRules& rules = {}) {
  const ReclaimerEntry* entry = find_reclaimer(kind);
  REQUIRE(entry);
  return make_reclaimer(*entry, test::values_of(entry->info), rules);
}

std::uint32_t blocks_of(std::uint32_t tokens, std::uint32_t b) {
  return (tokens + b - 1) / b;
}

}  // namespace

// Spec policies §5.4: for one of s > 1 sharers with u private blocks pool use changes by
// ceil(k/B) - u; when the last one leaves, the p shared blocks follow.
TEST_CASE("copy-out: each sharer frees u - ceil(k/B), and p blocks follow with the last") {
  Random random(5);
  int gains = 0, losses = 0;
  for (int trial = 0; trial < 600; ++trial) {
    const std::uint32_t b = random.of({2u, 3u, 4u, 16u});
    const std::uint32_t p = 1 + random.below(12), s = 2 + random.below(4);
    Sharers cache(b);
    std::vector<std::uint32_t> own(s);
    for (std::uint32_t i = 0; i < s; ++i) {
      own[i] = random.below(10 * b);
      if (i == 0)
        cache.first(p, own[i]);
      else
        cache.another(SequenceId(i), own[i]);
    }
    const auto copy_out = made("copy_out");
    for (std::uint32_t i = 0; i < s; ++i) {
      const SequenceId id(i);
      const std::uint32_t percent = random.of({1u, 10u, 30u, 60u, 90u});
      const auto draws = random.below(1u << 30);
      Random choice(draws);
      // The first block is touched: it has a survivor and a hole.
      std::vector<bool> stays(p * b + own[i]);
      for (std::size_t t = 0; t < stays.size(); ++t)
        stays[t] = choice.below(100) < percent;
      stays[0] = true;
      stays[1] = false;
      const auto k = static_cast<std::uint32_t>(std::count(stays.begin(), stays.end(), true));
      const std::uint32_t u = blocks_of(own[i], b);
      std::vector<std::vector<std::uint32_t>> before;
      for (std::uint32_t j = 0; j < s; ++j)
        before.push_back(cache.tokens(SequenceId(j)));
      const std::uint32_t held = cache.cache.pool().held();
      const auto done = cache.round(id, *copy_out, [&](std::uint32_t t) { return stays[t]; });
      INFO("B " << b << ", p " << p << ", u " << u << ", k " << k << ", sharer " << i << " of "
                << s);
      REQUIRE(done);
      const std::int64_t net = blocks_freed_by_copying_out(k, u, b);
      const bool last = i + 1 == s;
      CHECK(done->blocks_freed == net + (last ? p : 0));
      CHECK(std::int64_t{held} - cache.cache.pool().held() == done->blocks_freed);
      if (!last) {
        CHECK(done->bytes_moved == Bytes(2 * std::uint64_t{k} * token_bytes));
        CHECK((net > 0) == (u > blocks_of(k, b)));
        ++(net > 0 ? gains : losses);
        for (const BlockId block : cache.prefix) {
          CHECK(cache.cache.pool().references(block) == s - 1 - i);
          CHECK(cache.cache.pool().cached(block));
        }
      }
      CHECK(cache.blocks(id).size() == blocks_of(k, b));
      for (std::uint32_t j = 0; j < s; ++j)
        if (j != i) CHECK(cache.tokens(SequenceId(j)) == before[j]);
    }
  }
  CHECK(gains > 200);
  CHECK(losses > 200);
}

TEST_CASE("un-sharing costs a copy of each block that is written, and frees the same in the end") {
  Random random(6);
  for (int trial = 0; trial < 600; ++trial) {
    const std::string kind = random.of<const char*>({"slide", "fill_holes", "fullest_blocks"});
    const std::uint32_t b = random.of({2u, 4u, 16u}), p = 1 + random.below(8);
    const std::uint32_t own = 1 + random.below(8 * b), percent = random.of({5u, 30u, 80u});
    Sharers cache(b);
    cache.first(p, 3);
    cache.another(SequenceId(1), own);
    std::vector<bool> stays(p * b + own);
    for (std::size_t t = 0; t < stays.size(); ++t)
      stays[t] = random.below(100) < percent;
    stays[0] = true;
    stays[1] = false;
    const auto k = static_cast<std::uint32_t>(std::count(stays.begin(), stays.end(), true));
    const auto done = cache.round(SequenceId(1), *made(kind, {SharedBlocks::unshare, 0, 0}),
                                  [&](std::uint32_t t) { return stays[t]; });
    INFO(kind << ", B " << b << ", p " << p << ", u " << blocks_of(own, b) << ", k " << k);
    REQUIRE(done);
    const std::uint64_t copied = done->bytes_copied.value() / (2 * b * token_bytes);
    CHECK(done->bytes_copied == Bytes(copied * 2 * b * token_bytes));
    CHECK(cache.tokens(SequenceId(0)).size() == p * b + 3);
    CHECK(cache.blocks(SequenceId(1)).size() == blocks_of(k, b));
    const std::int64_t law = blocks_freed_by_copying_out(k, blocks_of(own, b), b);
    if (kind == "slide") {
      // Each block that the survivors fill is written. Shared blocks that lost all tokens are not
      // copied.
      CHECK(done->blocks_freed == law);
      std::uint32_t with_survivors = 0;
      for (std::uint32_t block = 0; block < p; ++block)
        with_survivors += std::any_of(stays.begin() + block * b, stays.begin() + (block + 1) * b,
                                      [](bool stay) { return stay; });
      CHECK(copied == std::min(with_survivors, blocks_of(k, b)));
    } else {
      CHECK(done->blocks_freed >= law);  // a full shared block stays shared
    }
  }
}

TEST_CASE("blocks in front of the first hole stay shared, whole ones that emptied are dropped") {
  for (const std::string kind : {"slide", "fill_holes", "fullest_blocks"}) {
    INFO(kind);
    Sharers cache(4);
    cache.first(4, 2);
    cache.another(SequenceId(1), 9);
    const auto shared = cache.prefix;
    const ReclaimRules rules{SharedBlocks::unshare, 0, 0};
    // Block 0 is full, 1 empties, 2 is full, 3 keeps one; then 16 to 24.
    const auto done = cache.round(SequenceId(1), *made(kind, rules), [](std::uint32_t t) {
      return t < 4 || (t >= 8 && t < 12) || t == 13 || t == 17 || t == 24;
    });
    REQUIRE(done);
    CHECK(cache.tokens(SequenceId(1)) ==
          std::vector<std::uint32_t>{0, 1, 2, 3, 8, 9, 10, 11, 13, 17, 24});
    const auto blocks = cache.blocks(SequenceId(1));
    REQUIRE(blocks.size() == 3);
    CHECK(blocks[0] == shared[0]);
    CHECK(blocks[1] == shared[2]);
    CHECK(done->blocks_freed == 2);  // of three private blocks
    CHECK(cache.cache.pool().references(shared[1]) == 1);
    CHECK(cache.cache.pool().references(shared[3]) == 1);
  }
}

TEST_CASE("copy-out: all of a table's blocks are replaced, or those of the prefix are untouched") {
  Sharers cache(4);
  cache.first(3, 2);
  cache.another(SequenceId(1), 9);
  const auto copy_out = made("copy_out");
  auto done = cache.round(SequenceId(1), *copy_out, [](std::uint32_t t) { return t != 12; });
  CHECK(done->bytes_moved == Bytes(2 * 8 * token_bytes));  // in place
  CHECK(done->blocks_freed == 1);
  CHECK(cache.blocks(SequenceId(1))[2] == cache.prefix[2]);
  done = cache.round(SequenceId(1), *copy_out, [](std::uint32_t t) { return t < 10 || t > 12; });
  CHECK(done->bytes_moved == Bytes(2 * 18 * token_bytes));
  CHECK(done->blocks_freed == 2 - 5);
  for (const BlockId block : cache.blocks(SequenceId(1)))
    CHECK(cache.cache.pool().references(block) == 1);
}

TEST_CASE("refuse: a round that would touch a shared block is declined, others are not") {
  for (const std::string kind : {"slide", "fill_holes", "fullest_blocks"}) {
    INFO(kind);
    const auto refuse = made(kind, {SharedBlocks::refuse, 0, 0});
    Sharers cache(4);
    cache.first(2, 10);
    cache.another(SequenceId(1), 10);
    CHECK_FALSE(cache.round(SequenceId(1), *refuse, [](std::uint32_t t) { return t % 2 == 0; }));
    CHECK(cache.tokens(SequenceId(1)).size() == 18);
    CHECK(cache.cache.sequence(SequenceId(1)).rounds == 0);
    // The prefix stays whole, or goes whole.
    CHECK(cache.round(SequenceId(1), *refuse, [](std::uint32_t t) { return t < 8 || t > 14; })
              ->blocks_freed == 2);
    CHECK(cache.round(SequenceId(1), *refuse, [](std::uint32_t t) { return t >= 16; })
              ->blocks_freed == 0);
    CHECK(cache.blocks(SequenceId(1)).size() == 1);
    // Nobody shares with the other any more.
    CHECK(cache.round(SequenceId(0), *refuse, [](std::uint32_t t) { return t % 2 == 0; })
              ->blocks_freed == 2);
  }
}

// E-40: freed = ceil(T/B) - ceil(T'/B) for every (T, T', B), T' = 0 and T' = T included.
TEST_CASE("E-40: every way to move survivors frees the difference of the two lengths in blocks") {
  const std::vector<std::pair<std::string, ReclaimRules>> kinds = {
      {"slide", {}},
      {"fill_holes", {}},
      {"fullest_blocks", {}},
      {"copy_out", {}},
      {"slide", {SharedBlocks::unshare, 0, 0}},
      {"fill_holes", {SharedBlocks::refuse, 0, 0}},
      {"fullest_blocks", {SharedBlocks::unshare, 0, 0}}};
  for (const auto& [kind, rules] : kinds)
    for (const std::uint32_t b : {1u, 2u, 4u, 16u, 100u})
      for (const std::uint32_t before : {0u, 1u, 15u, 16u, 17u, 64u, 101u})
        for (std::uint32_t after = 0; after <= before; after += 1 + before / 7) {
          INFO(kind << ", T " << before << ", T' " << after << ", B " << b);
          Sharers cache(b);
          cache.first(0, before);
          const auto done = cache.round(SequenceId(0), *made(kind, rules), [&](std::uint32_t t) {
            return (t * 7919u) % before >= before - after;
          });
          REQUIRE(done);
          const auto kept = cache.tokens(SequenceId(0)).size();
          CHECK(done->blocks_freed ==
                static_cast<std::int64_t>(blocks_freed_by_compaction(before, kept, b)));
        }
}

TEST_CASE("min_hole_share and min_blocks: survivors wait, empty blocks return at once") {
  Sharers cache(4);
  cache.first(0, 32);
  const auto share = made("slide", {SharedBlocks::suffix, 0.25, 0});
  // Block 1 empties and returns; 4 holes among the other 28 slots are less than a quarter.
  auto done =
      cache.round(SequenceId(0), *share, [](std::uint32_t t) { return t / 4 != 1 && t % 8 != 0; });
  CHECK(done->blocks_freed == 1);
  CHECK(done->bytes_moved == Bytes(0));
  CHECK(cache.cache.pool().slots().hole == 4);
  done = cache.round(SequenceId(0), *share, [](std::uint32_t t) { return t > 3; });
  CHECK(done->blocks_freed == 1);  // block 0 emptied; 3 holes are left among 24 slots
  CHECK(done->bytes_moved == Bytes(0));
  done = cache.round(SequenceId(0), *share,
                     [](std::uint32_t t) { return t != 9 && t != 17 && t != 25; });
  CHECK(done->blocks_freed == 1);  // 6 holes are a quarter; 18 tokens fill 5 blocks of 6
  CHECK(done->bytes_moved > Bytes(0));
  CHECK(cache.cache.pool().slots().hole == 0);

  Sharers other(4);
  other.first(0, 32);
  const auto blocks = made("fill_holes", {SharedBlocks::suffix, 0, 2});
  done = other.round(SequenceId(0), *blocks, [](std::uint32_t t) { return t % 5 != 0; });
  CHECK(done->bytes_moved == Bytes(0));  // 25 tokens need 7 of 8 blocks
  done = other.round(SequenceId(0), *blocks, [](std::uint32_t t) { return t % 6 != 1; });
  CHECK(done->blocks_freed == 3);  // 20 tokens
  CHECK(done->bytes_moved > Bytes(0));

  // Copying out pays only where private blocks outnumber what the survivors fill.
  const auto pays = made("copy_out", {SharedBlocks::suffix, 0, 1});
  for (const std::uint32_t own : {16u, 17u}) {
    Sharers shared(4);
    shared.first(4, 1);
    shared.another(SequenceId(1), own);
    // 16 survivors fill 4 blocks; there are 4 private ones, or 5.
    const std::uint32_t first = own == 17 ? 2 : 0;
    done = shared.round(SequenceId(1), *pays,
                        [&](std::uint32_t t) { return t % 2 == 0 && t >= first; });
    CHECK(done->blocks_freed == (own == 17 ? 1 : 0));
    CHECK((done->bytes_moved > Bytes(0)) == (own == 17));
  }
}
