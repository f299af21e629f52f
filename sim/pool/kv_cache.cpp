// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/kv_cache.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/units/error.hpp"

namespace vacancy {

KvCache::KvCache(const CacheConfig& config, Observer& observer)
    : config_(config), observer_(observer), pool_(config.block_size, config.blocks) {}

const CachedSequence& KvCache::sequence(SequenceId id) const {
  const auto found = sequences_.find(id);
  VACANCY_ASSERT(found != sequences_.end(), "no such sequence in the cache");
  return found->second;
}

CachedSequence& KvCache::at(SequenceId id) {
  return const_cast<CachedSequence&>(std::as_const(*this).sequence(id));
}

void KvCache::start(SequenceId id, std::uint32_t prompt_tokens) {
  const CacheLayout& layout = config_.layout;
  CachedSequence fresh;
  fresh.id = id;
  fresh.prompt_tokens = prompt_tokens;
  fresh.tables.assign(layout.tables(), BlockTable(config_.block_size, layout.sets_per_table()));
  const bool inserted = sequences_.emplace(id, std::move(fresh)).second;
  VACANCY_ASSERT(inserted, "a sequence starts once");
  changed();
  observer_.on_event(SequenceStarted{id, prompt_tokens});
}

bool KvCache::last_block_shared(const BlockTable& table) const {
  return table.length() % config_.block_size != 0 && pool_.references(table.entries().back()) > 1;
}

std::uint64_t KvCache::blocks_needed(const BlockTable& table, std::uint32_t count) const {
  if (count == 0) return 0;
  const std::uint64_t b = config_.block_size;
  const std::uint64_t entries = (table.length() + std::uint64_t{count} + b - 1) / b;
  return entries - table.entries().size() + (last_block_shared(table) ? 1 : 0);
}

std::uint64_t KvCache::blocks_needed(SequenceId id, std::uint32_t count) const {
  std::uint64_t needed = 0;
  for (const BlockTable& table : sequence(id).tables)
    needed += blocks_needed(table, count);
  return needed;
}

bool KvCache::append(SequenceId id, std::uint32_t count) {
  CachedSequence& sequence = at(id);
  if (blocks_needed(id, count) > pool_.available()) return false;
  if (count == 0) return true;
  for (std::uint32_t table = 0; table < sequence.tables.size(); ++table) {
    if (last_block_shared(sequence.tables[table])) copy_last_block(sequence, table);
    extend(sequence, table, count);
  }
  sequence.next_position += count;
  sequence.live += count;
  changed();
  observer_.on_event(TokensAppended{id, sequence.next_position - count, count});
  return true;
}

void KvCache::extend(CachedSequence& sequence, std::uint32_t index, std::uint32_t count) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t b = config_.block_size;
  const auto first_entry = static_cast<std::uint32_t>(table.entries().size());
  blocks_.clear();
  const std::uint64_t needed = blocks_needed(table, count);
  pool_.prepare(needed);
  for (std::uint64_t n = 0; n < needed; ++n) {
    blocks_.push_back(pool_.allocate());
    table.push_entry(blocks_.back());
  }
  if (!blocks_.empty())
    observer_.on_event(BlocksAllocated{sequence.id, index, first_entry, blocks_});
  for (std::uint32_t slot = table.length(), end = slot + count; slot < end;) {
    const std::uint32_t offset = slot % b, here = std::min(end - slot, b - offset);
    pool_.write(table.entries()[slot / b], offset, offset + here, table.sets());
    slot += here;
  }
  table.append(sequence.next_position, count);
}

void KvCache::copy_last_block(CachedSequence& sequence, std::uint32_t index) {
  BlockTable& table = sequence.tables[index];
  const auto entry = static_cast<std::uint32_t>(table.entries().size() - 1);
  const BlockId from = table.entries()[entry], to = pool_.allocate();
  const std::uint32_t first_slot = entry * config_.block_size;
  pool_.copy_fill(from, to);
  for (std::uint32_t set = 0; set < table.sets(); ++set) {
    table.for_each_live(set, first_slot, table.length(), [&](std::uint32_t slot, std::uint32_t) {
      pool_.drop_holder(from, slot - first_slot);
      pool_.add_holder(to, slot - first_slot);
    });
  }
  pool_.release(from);
  table.replace_entry(entry, to);
  observer_.on_event(BlockCopied{sequence.id, index, entry, from, to, table.length() - first_slot});
}

void KvCache::fork(SequenceId parent, SequenceId child) {
  CachedSequence copy = sequence(parent);
  copy.id = child;
  for (const BlockTable& table : copy.tables) {
    for (const BlockId block : table.entries())
      if (block != null_block) pool_.add_reference(block);
    for (std::uint32_t set = 0; set < table.sets(); ++set) {
      table.for_each_live(set, [&](std::uint32_t slot, std::uint32_t) {
        pool_.add_holder(table.entries()[slot / config_.block_size], slot % config_.block_size);
      });
    }
  }
  const bool inserted = sequences_.emplace(child, std::move(copy)).second;
  VACANCY_ASSERT(inserted, "a sequence starts once");
  changed();
  observer_.on_event(SequenceForked{parent, child});
}

void KvCache::settle(SequenceId id) {
  for (BlockTable& table : at(id).tables)
    table.store_run();
}

void KvCache::evict(SequenceId id, const KeepSets& keep) {
  CachedSequence& sequence = at(id);
  const CacheLayout& layout = config_.layout;
  settle(id);
  std::uint64_t dropped = 0, vacated = 0;
  sequence.live = 0;
  sequence.evicting = true;
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    BlockTable& table = sequence.tables[index];
    for (std::uint32_t set = 0; set < table.sets(); ++set) {
      const std::uint32_t policy_set = layout.policy_set(index, set);
      VACANCY_ASSERT(keep.live(policy_set) == table.live_count(set),
                     "a decision speaks for exactly the live tokens");
      dropped += table.evict(set, keep.mask(policy_set),
                             [&](std::uint32_t entry, std::uint32_t offset, std::uint32_t token) {
                               pool_.drop_holder(table.entries()[entry], offset);
                               vacated += table.drop_token(token);
                             });
      sequence.live = std::max(sequence.live, table.live_count(set));
    }
  }
  observer_.on_event(
      TokensEvicted{id, sequence.rounds++, keep, dropped, layout.sets_per_table(), vacated});
}

KvCache::Reclaimed KvCache::reclaim(SequenceId id, const ReclaimPlan& plan) {
  CachedSequence& sequence = at(id);
  VACANCY_ASSERT(plan.tables.size() == sequence.tables.size(), "a plan speaks for all tables");
  Reclaimed result;
  for (std::uint32_t index = 0; index < plan.tables.size(); ++index) {
    const TablePlan& part = plan.tables[index];
    if (!part.release.empty())
      result.blocks_freed +=
          release(sequence, index, part.release, part.shift, FreeCause::eviction);
    if (part.pack_from) {
      const Reclaimed packed = pack(sequence, index, *part.pack_from);
      result.blocks_freed += packed.blocks_freed;
      result.bytes_moved += packed.bytes_moved;
    }
  }
  sequence.evicting = false;
  changed();
  observer_.on_event(
      RoundFinished{id, sequence.rounds - 1, result.blocks_freed, result.bytes_moved});
  return result;
}

KvCache::Reclaimed KvCache::pack(CachedSequence& sequence, std::uint32_t index,
                                 std::uint32_t first_slot) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t b = config_.block_size, first_entry = first_slot / b;
  VACANCY_ASSERT(first_slot % b == 0, "packing starts at a block");
  counts_.resize(table.sets());
  const std::uint64_t moved = table.pack(first_slot, counts_);

  // holders_[i]: sets that reach slot first_slot + i.
  holders_.assign(table.length() - first_slot + 1, 0);
  for (const std::uint32_t count : counts_) {
    ++holders_[0];
    --holders_[count];
  }
  std::partial_sum(holders_.begin(), holders_.end(), holders_.begin());
  holders_.pop_back();
  table.set_live_pairs(first_entry, holders_);
  for (std::uint32_t entry = first_entry; entry < table.entries().size(); ++entry) {
    const BlockId block = table.entries()[entry];
    VACANCY_ASSERT(block != null_block && pool_.references(block) == 1,
                   "only unshared blocks are written");
    const std::size_t first =
        std::min<std::size_t>(std::size_t{entry - first_entry} * b, holders_.size());
    pool_.rewrite(block, std::span(holders_).subspan(
                             first, std::min<std::size_t>(b, holders_.size() - first)));
  }
  observer_.on_event(TablePacked{sequence.id, index, first_slot, table.length(), moved});

  Reclaimed result;
  result.bytes_moved =
      Bytes(2 * moved * config_.block_bytes.value() / (std::uint64_t{b} * table.sets()));
  const auto entries = static_cast<std::uint32_t>(table.entries().size());
  const std::uint32_t used = (table.length() + b - 1) / b;
  entries_.resize(entries - used);
  std::iota(entries_.begin(), entries_.end(), used);
  if (used < entries)
    result.blocks_freed = release(sequence, index, entries_, true, FreeCause::eviction);
  return result;
}

std::uint32_t KvCache::release(CachedSequence& sequence, std::uint32_t index,
                               std::span<const std::uint32_t> entries, bool shift,
                               FreeCause cause) {
  BlockTable& table = sequence.tables[index];
  std::uint32_t freed = 0;
  blocks_.clear();
  for (const std::uint32_t entry : entries)
    blocks_.push_back(table.entries()[entry]);
  for (std::size_t i = entries.size(); i-- > 0;) {
    VACANCY_ASSERT(table.live_pairs(entries[i]) == 0, "a released entry holds a live token");
    if (blocks_[i] != null_block) freed += pool_.release(blocks_[i]);
  }
  table.remove_entries(entries, shift);
  observer_.on_event(BlocksReleased{sequence.id, index, cause, shift, entries, blocks_, freed});
  return freed;
}

void KvCache::drop_entry(const BlockTable& table, std::uint32_t entry) {
  const BlockId block = table.entries()[entry];
  if (pool_.references(block) == 1) {
    pool_.rewrite(block, {});
    return;
  }
  const std::uint32_t b = config_.block_size;
  const std::uint32_t first = entry * b, last = std::min(first + b, table.length());
  for (std::uint32_t set = 0; set < table.sets(); ++set)
    table.for_each_live(set, first, last, [&](std::uint32_t slot, std::uint32_t) {
      pool_.drop_holder(block, slot - first);
    });
}

void KvCache::finish(SequenceId id) {
  CachedSequence& sequence = at(id);
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    const BlockTable& table = sequence.tables[index];
    if (table.entries().empty()) continue;
    std::uint32_t freed = 0;
    for (auto entry = static_cast<std::uint32_t>(table.entries().size()); entry-- > 0;) {
      if (table.entries()[entry] == null_block) continue;
      drop_entry(table, entry);
      freed += pool_.release(table.entries()[entry]);
    }
    entries_.resize(table.entries().size());
    std::iota(entries_.begin(), entries_.end(), 0u);
    observer_.on_event(
        BlocksReleased{id, index, FreeCause::sequence_end, true, entries_, table.entries(), freed});
  }
  sequences_.erase(id);
  changed();
  observer_.on_event(SequenceFinished{id});
}

void KvCache::changed() {
#ifndef NDEBUG
  constexpr std::uint64_t slots_per_change = 1 << 14;
  const std::uint64_t cost =
      std::uint64_t{pool_.created()} * config_.block_size * config_.layout.sets_per_table();
  check_credit_ += slots_per_change;
  if (check_credit_ < cost) return;
  check_credit_ = 0;
  check_invariants();
#endif
}

}  // namespace vacancy
