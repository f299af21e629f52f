// SPDX-License-Identifier: Apache-2.0
// KvCache::check_invariants: every count of the pool and of the tables, computed anew from the
// tables' entries and live tokens. The numbers are those of spec policies §5.
#include <algorithm>
#include <vector>

#include "sim/pool/kv_cache.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

/// What the tables say about the physical blocks.
struct Census {
  std::vector<std::uint32_t> references, fill, holders;
};

/// Checks a table by itself and adds what it says to the census.
void visit_table(const BlockTable& table, const CachedSequence& sequence, Census& census) {
  const std::uint32_t b = table.block_size();
  const auto entries = table.entries();
  VACANCY_ASSERT(entries.size() == (table.length() + b - 1) / b,
                 "a table has an entry for every slot up to its end, and no more");

  for (std::uint32_t entry = 0; entry < entries.size(); ++entry) {
    if (entries[entry] == null_block) {
      VACANCY_ASSERT(table.live_pairs(entry) == 0, "I5: a null entry has live tokens");
      continue;
    }
    const bool open_end = (entry + 1) * b > table.length();
    VACANCY_ASSERT(sequence.evicting || open_end || table.live_pairs(entry) > 0,
                   "I5: a full block that no set needs is still held");
    const std::uint32_t block = entries[entry].value();
    const std::uint32_t fill = std::min(b, table.length() - entry * b);
    VACANCY_ASSERT(census.references[block] == 0 || census.fill[block] == fill,
                   "tables that share a block end at different slots in it");
    ++census.references[block];
    census.fill[block] = fill;
  }

  std::vector<std::uint32_t> pairs(entries.size(), 0);
  std::vector<std::uint32_t> holding(sequence.next_position, 0);
  std::vector<std::uint32_t> last_set(sequence.next_position, 0);  // plus 1
  for (std::uint32_t set = 0; set < table.sets(); ++set) {
    std::uint32_t count = 0;
    std::int64_t previous = -1;
    table.for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
      VACANCY_ASSERT(token < sequence.next_position, "I8: live tokens are below t");
      VACANCY_ASSERT(!table.ordered() || std::int64_t{token} > previous,
                     "I3: live tokens are in position order until some moved");
      VACANCY_ASSERT(last_set[token] <= set, "I3: live tokens of a set are distinct");
      last_set[token] = set + 1;
      VACANCY_ASSERT(entries[slot / b] != null_block, "I7: a live token lies in a freed block");
      previous = token;
      ++holding[token];
      ++census.holders[std::size_t{entries[slot / b].value()} * b + slot % b];
      ++pairs[slot / b];
      ++count;
    });
    VACANCY_ASSERT(count == table.live_count(set), "the live count of a set is off");
  }
  if (table.sets() > 1 && table.run_stored())
    for (std::uint32_t token = 0; token < sequence.next_position; ++token)
      VACANCY_ASSERT(table.sets_holding(token) == holding[token],
                     "the number of sets that hold a token is off");
  for (std::uint32_t entry = 0; entry < entries.size(); ++entry)
    VACANCY_ASSERT(pairs[entry] == table.live_pairs(entry), "live pairs of an entry are off");
}

void check_pages(const BlockPool& pool) {
  if (!pool.pages()) return;
  std::vector<std::uint32_t> used(pool.created() / pool.pages()->blocks_per_page() + 1, 0);
  for (std::uint32_t id = 0; id < pool.created(); ++id)
    if (pool.references(BlockId(id)) > 0 || pool.cached(BlockId(id)))
      ++used[pool.pages()->page(BlockId(id))];
  std::uint64_t mapped = 0, blocks = 0;
  for (std::uint32_t page = 0; page < used.size(); ++page) {
    VACANCY_ASSERT(used[page] == pool.pages()->blocks_of(page), "the blocks of a page are off");
    mapped += used[page] > 0;
    blocks += used[page];
  }
  VACANCY_ASSERT(mapped == pool.pages()->mapped() && blocks == pool.pages()->blocks(),
                 "the counts of pages are off");
}

}  // namespace

void KvCache::check_invariants() const {
  const std::uint32_t b = pool_.block_size(), blocks = pool_.created();
  Census census{std::vector<std::uint32_t>(blocks, 0), std::vector<std::uint32_t>(blocks, 0),
                std::vector<std::uint32_t>(std::size_t{blocks} * b, 0)};
  for (const auto& [id, sequence] : sequences_)
    for (const BlockTable& table : sequence.tables)
      visit_table(table, sequence, census);

  SlotCounts counts;
  std::uint32_t held = 0, shared = 0;
  std::uint64_t saved = 0;
  for (std::uint32_t id = 0; id < blocks; ++id) {
    const BlockId block(id);
    VACANCY_ASSERT(pool_.references(block) == census.references[id],
                   "I2: a reference count differs from the tables that hold the block");
    VACANCY_ASSERT(pool_.free_queue().contains(block) == (census.references[id] == 0),
                   "I1: a block is free exactly if no table holds it");
    std::uint32_t live = 0;
    for (std::uint32_t offset = 0; offset < b; ++offset) {
      const std::uint32_t holders = census.holders[std::size_t{id} * b + offset];
      VACANCY_ASSERT(pool_.holders(block, offset) == holders, "the holders of a slot are off");
      live += holders > 0;
    }
    VACANCY_ASSERT(pool_.live(block) == live, "the live slots of a block are off");
    VACANCY_ASSERT(pool_.fill(block) == census.fill[id], "the fill of a block is off");
    if (census.references[id] == 0) continue;
    ++held;
    shared += census.references[id] > 1;
    saved += census.references[id] - 1;
    counts.held += b;
    counts.live += live;
    counts.hole += census.fill[id] - live;
    counts.tail += b - census.fill[id];
  }
  std::uint32_t queued = 0;
  pool_.free_queue().for_each([&](BlockId) { ++queued; });
  VACANCY_ASSERT(queued == pool_.free_queue().size() && queued + held == blocks,
                 "I1: free + used = total");
  VACANCY_ASSERT(held == pool_.held() && counts == pool_.slots(), "the pool's totals are off");
  VACANCY_ASSERT(shared == pool_.shared() && saved == pool_.saved(),
                 "the counts of shared blocks are off");
  check_pages(pool_);
}

}  // namespace vacancy
