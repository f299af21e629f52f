// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/kv_cache.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "sim/pool/sequence_ids.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

KvCache::KvCache(const CacheConfig& config, Observer& observer, CachedContents* contents,
                 BlockReplacement* replacement)
    : config_(config),
      observer_(observer),
      contents_(contents),
      pool_(config.block_size, config.blocks, config.free_order, replacement) {
  if (config.blocks_per_page) pool_.follow_pages(*config.blocks_per_page);
}

const CachedSequence& KvCache::sequence(SequenceId id) const {
  if (id.value() < by_id_.size() && by_id_[id.value()]) return *by_id_[id.value()];
  const auto place = sequences_.find(id);
  VACANCY_ASSERT(place != sequences_.end(), "no such sequence in the cache");
  return place->second;
}

CachedSequence& KvCache::at(SequenceId id) {
  return const_cast<CachedSequence&>(std::as_const(*this).sequence(id));
}

CachedSequence& KvCache::add(CachedSequence fresh) {
  const SequenceId id = fresh.id;
  const auto [place, inserted] = sequences_.emplace(id, std::move(fresh));
  VACANCY_ASSERT(inserted, "a sequence starts once");
  if (id.value() < candidate_stride) {
    if (by_id_.size() <= id.value()) by_id_.resize(id.value() + 1, nullptr);
    by_id_[id.value()] = &place->second;
  }
  return place->second;
}

void KvCache::start(SequenceId id, std::uint32_t prompt_tokens) {
  const CacheLayout& layout = config_.layout;
  CachedSequence fresh;
  fresh.id = id;
  fresh.prompt_tokens = prompt_tokens;
  fresh.tables.assign(layout.tables(), BlockTable(config_.block_size, layout.sets_per_table()));
  add(std::move(fresh));
  changed();
  observer_.on_event(SequenceStarted{id, prompt_tokens});
}

void KvCache::adopt(SequenceId id, std::span<const BlockId> entries) {
  CachedSequence& sequence = at(id);
  VACANCY_ASSERT(sequence.next_position == 0, "a prefix is adopted before the first token");
  const std::size_t here = entries.size() / sequence.tables.size();
  if (here == 0) return;
  const auto tokens = static_cast<std::uint32_t>(here * config_.block_size);
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    BlockTable& table = sequence.tables[index];
    const auto blocks = entries.subspan(index * here, here);
    for (const BlockId block : blocks) {
      table.push_entry(block);
      if (block == null_block) continue;
      VACANCY_ASSERT(pool_.cached(block), "only blocks with cached contents are adopted");
      const bool held = pool_.references(block) > 0;
      pool_.add_reference(block);
      if (held)
        pool_.add_holders(block, table.sets());
      else
        pool_.write(block, 0, config_.block_size, table.sets());
    }
    table.append(0, tokens);
    for (std::uint32_t entry = 0; entry < here; ++entry)
      if (blocks[entry] == null_block) table.vacate(entry);
    observer_.on_event(BlocksAdopted{id, index, blocks});
  }
  sequence.next_position = tokens;
  sequence.live = fullest_set(sequence);
  changed();
  observer_.on_event(TokensAppended{id, 0, tokens});
}

void KvCache::set_cached(SequenceId id, std::uint32_t table, std::uint32_t first,
                         std::span<const ContentId> contents) {
  if (contents.empty()) return;
  const auto blocks = sequence(id).tables[table].entries().subspan(first, contents.size());
  for (const BlockId block : blocks)
    pool_.set_cached(block, true);
  observer_.on_event(BlocksCached{id, table, first, blocks, contents});
}

void KvCache::drop_cached(BlockId block, UncacheCause cause) {
  VACANCY_ASSERT(pool_.references(block) == 0 && pool_.cached(block),
                 "a free block gives up contents that it has");
  forget(block);
  pool_.advance(block);
  report_forgotten(cause);
}

void KvCache::forget_all() {
  VACANCY_ASSERT(sequences_.empty(), "cached contents are cleared while a sequence holds blocks");
  for (std::uint32_t id = 0; id < pool_.created(); ++id)
    forget(BlockId(id));
  if (contents_) contents_->forget(forgotten_);
  forgotten_.clear();
  observer_.on_event(CacheCleared{});
}

void KvCache::leave_window(SequenceId id, std::uint32_t index, std::uint32_t first_token) {
  CachedSequence& sequence = at(id);
  BlockTable& table = sequence.tables[index];
  entries_.clear();
  table.for_each_entry(0, std::min(first_token, table.length()) / config_.block_size,
                       [&](std::uint32_t entry) { entries_.push_back(entry); });
  if (entries_.empty()) return;
  for (const std::uint32_t entry : entries_) {
    drop_entry(table, entry);
    table.vacate(entry);
  }
  sequence.live = fullest_set(sequence);
  release(sequence, index, entries_, false, FreeCause::window);
  changed();
}

std::uint32_t KvCache::fullest_set(const CachedSequence& sequence) {
  std::uint32_t live = 0;
  for (const BlockTable& table : sequence.tables)
    live = std::max(live, table.fullest_set());
  return live;
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
  if (count == 0) return true;
  CachedSequence& sequence = at(id);
  if (blocks_needed(id, count) > pool_.available()) return false;
  for (std::uint32_t table = 0; table < sequence.tables.size(); ++table) {
    const BlockTable& own = sequence.tables[table];
    if (last_block_shared(own))
      copy_block(sequence, table, static_cast<std::uint32_t>(own.entries().size() - 1));
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
  for (std::uint64_t n = 0; n < needed; ++n) {
    blocks_.push_back(allocate());
    table.push_entry(blocks_.back());
  }
  report_forgotten(UncacheCause::allocation);
  if (!blocks_.empty())
    observer_.on_event(BlocksAllocated{sequence.id, index, first_entry, blocks_});
  for (std::uint32_t slot = table.length(), end = slot + count; slot < end;) {
    const std::uint32_t offset = slot % b, here = std::min(end - slot, b - offset);
    pool_.write(table.entries()[slot / b], offset, offset + here, table.sets());
    slot += here;
  }
  table.append(sequence.next_position, count);
}

BlockId KvCache::allocate() {
  const BlockId block = pool_.allocate();
  forget(block);
  return block;
}

void KvCache::forget(BlockId block) {
  if (!pool_.cached(block)) return;
  pool_.set_cached(block, false);
  forgotten_.push_back(block);
}

void KvCache::report_forgotten(UncacheCause cause) {
  if (forgotten_.empty()) return;
  contents_->forget(forgotten_);
  observer_.on_event(BlocksUncached{forgotten_, cause});
  forgotten_.clear();
}

template <class Whole, class One>
void KvCache::for_each_holder(const BlockTable& table, std::uint32_t entry, Whole&& whole,
                              One&& one) const {
  const std::uint32_t b = config_.block_size;
  const std::uint32_t first = entry * b, last = std::min(first + b, table.length());
  if (table.live_pairs(entry) == (last - first) * table.sets()) {
    whole();
    return;
  }
  for (std::uint32_t set = 0; set < table.sets(); ++set)
    table.for_each_live(set, first, last,
                        [&](std::uint32_t slot, std::uint32_t) { one(slot - first); });
}

Bytes KvCache::copy_block(CachedSequence& sequence, std::uint32_t index, std::uint32_t entry) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t slots =
      std::min(config_.block_size, table.length() - entry * config_.block_size);
  const BlockId from = table.entries()[entry], to = allocate();
  pool_.copy_fill(from, to);
  for_each_holder(
      table, entry,
      [&] {
        pool_.drop_holders(from, table.sets());
        pool_.add_holders(to, table.sets());
      },
      [&](std::uint32_t offset) {
        pool_.drop_holder(from, offset);
        pool_.add_holder(to, offset);
      });
  pool_.release({&from, 1});
  table.replace_entry(entry, to);
  report_forgotten(UncacheCause::allocation);
  observer_.on_event(BlockCopied{sequence.id, index, entry, from, to, slots});
  return set_token_bytes(std::uint64_t{slots} * table.sets());
}

Bytes KvCache::set_token_bytes(std::uint64_t set_tokens) const {
  const std::uint64_t of_block =
      std::uint64_t{config_.block_size} * config_.layout.sets_per_table();
  return Bytes(2 * set_tokens * config_.block_bytes.value() / of_block);  // read + written
}

void KvCache::fork(SequenceId parent, SequenceId child) {
  CachedSequence fresh = sequence(parent);
  fresh.id = child;
  const CachedSequence& copy = add(std::move(fresh));
  for (const BlockTable& table : copy.tables) {
    table.for_each_entry(0, static_cast<std::uint32_t>(table.entries().size()),
                         [&](std::uint32_t entry) {
                           const BlockId block = table.entries()[entry];
                           pool_.add_reference(block);
                           for_each_holder(
                               table, entry, [&] { pool_.add_holders(block, table.sets()); },
                               [&](std::uint32_t offset) { pool_.add_holder(block, offset); });
                         });
  }
  changed();
  observer_.on_event(SequenceForked{parent, child});
}

void KvCache::settle(SequenceId id) {
  for (BlockTable& table : at(id).tables)
    table.store_run();
}

void KvCache::evict(SequenceId id, const KeepSets& keep) {
  CachedSequence& sequence = at(id);
  settle(id);
  const Dropped lost =
      drop_tokens(sequence, keep, [&](BlockId block, std::span<const std::uint8_t> drops) {
        pool_.drop_holders(block, drops);
      });
  observer_.on_event(TokensEvicted{id, sequence.rounds++, keep, lost.set_tokens,
                                   config_.layout.sets_per_table(), lost.vacated});
}

void KvCache::preview(SequenceId id, const KeepSets& keep, CachedSequence& out) {
  settle(id);
  out = sequence(id);
  drop_tokens(out, keep, [](BlockId, std::span<const std::uint8_t>) {});
}

template <class F>
KvCache::Dropped KvCache::drop_tokens(CachedSequence& sequence, const KeepSets& keep, F&& dropped) {
  const CacheLayout& layout = config_.layout;
  Dropped lost;
  sequence.live = 0;
  sequence.round_position = sequence.next_position;
  sequence.evicting = true;
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    BlockTable& table = sequence.tables[index];
    if (drops_.size() < table.length()) drops_.resize(table.length());
    for (std::uint32_t set = 0; set < table.sets(); ++set) {
      const std::uint32_t policy_set = layout.policy_set(index, set);
      VACANCY_ASSERT(keep.live(policy_set) == table.live_count(set),
                     "a decision speaks for exactly the live tokens");
      const BlockTable::Evicted evicted =
          table.evict(set, keep.mask(policy_set), drops_, live_slots_);
      lost.set_tokens += evicted.tokens;
      lost.vacated += evicted.vacated;
      sequence.live = std::max(sequence.live, table.live_count(set));
      if ((set + 1) % BlockTable::max_drops == 0 || set + 1 == table.sets())
        apply_drops(table, dropped);
    }
  }
  return lost;
}

template <class F>
void KvCache::apply_drops(BlockTable& table, F&& dropped) {
  const std::uint32_t b = config_.block_size;
  table.for_each_entry(
      0, static_cast<std::uint32_t>(table.entries().size()), [&](std::uint32_t entry) {
        const std::uint32_t first = entry * b, last = std::min(first + b, table.length());
        const auto drops = std::span(drops_).subspan(first, last - first);
        const std::uint32_t pairs = std::accumulate(drops.begin(), drops.end(), 0u);
        if (pairs == 0) return;
        table.drop_pairs(entry, pairs);
        dropped(table.entries()[entry], drops);
        std::fill(drops.begin(), drops.end(), std::uint8_t{0});
      });
}

KvCache::Reclaimed KvCache::reclaim(SequenceId id, const ReclaimPlan& plan) {
  CachedSequence& sequence = at(id);
  VACANCY_ASSERT(plan.tables.size() == sequence.tables.size(), "a plan speaks for all tables");
  const std::uint64_t taken = plan.blocks_taken();
  VACANCY_ASSERT(!plan.refused && taken <= pool_.available(), "a plan that can be carried out");
  Reclaimed result;
  result.blocks_freed = -static_cast<std::int64_t>(taken);
  for (std::uint32_t index = 0; index < plan.tables.size(); ++index) {
    const TablePlan& part = plan.tables[index];
    for (const std::uint32_t entry : part.unshare)
      result.bytes_copied += copy_block(sequence, index, entry);
    if (!part.moves.empty()) result.bytes_moved += move(sequence, index, part.moves);
    if (!part.release.empty())
      result.blocks_freed +=
          release(sequence, index, part.release, part.shift, FreeCause::eviction);
    if (part.pack_from) {
      const Reclaimed packed = part.fresh_blocks > 0
                                   ? copy_out(sequence, index, *part.pack_from, part.fresh_blocks)
                                   : pack(sequence, index, *part.pack_from);
      result.blocks_freed += packed.blocks_freed;
      result.bytes_moved += packed.bytes_moved;
    }
  }
  sequence.evicting = false;
  changed();
  observer_.on_event(RoundFinished{id, sequence.rounds - 1, result.blocks_freed, result.bytes_moved,
                                   plan.cause, taken});
  return result;
}

Bytes KvCache::move(CachedSequence& sequence, std::uint32_t index, const TableMoves& moves) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t b = config_.block_size;
  VACANCY_ASSERT(moves.sets() == table.sets(), "a plan speaks for all sets of a table");
  const std::uint64_t moved = moves.all().size();
  entries_.clear();  // read or written
  for (const SlotMove& move : moves.all()) {
    entries_.insert(entries_.end(), {move.source / b, move.target / b});
    VACANCY_ASSERT(pool_.references(table.entries()[move.target / b]) == 1,
                   "only unshared blocks are written");
    const BlockId source = table.entries()[move.source / b];
    if (pool_.references(source) > 1) pool_.drop_holder(source, move.source % b);
  }
  const std::uint32_t length_before = table.length();
  table.move(moves);
  // The end moved: fewer slots of the entries behind it are in use.
  if (table.length() < length_before)
    for (std::uint32_t entry = table.length() / b; entry * b < length_before; ++entry)
      entries_.push_back(entry);
  std::sort(entries_.begin(), entries_.end());
  entries_.erase(std::unique(entries_.begin(), entries_.end()), entries_.end());
  for (const std::uint32_t entry : entries_)
    rewrite(table, entry);
  report_forgotten(UncacheCause::rewrite);
  observer_.on_event(TokensMoved{sequence.id, index, moves, table.length(), moved});
  return set_token_bytes(moved);
}

void KvCache::rewrite(BlockTable& table, std::uint32_t entry) {
  const std::uint32_t b = config_.block_size, first = entry * b;
  const std::uint32_t last = std::min(first + b, std::max(first, table.length()));
  const BlockId block = table.entries()[entry];
  if (block == null_block) return;
  holders_.assign(last - first, 0);
  for (std::uint32_t set = 0; set < table.sets(); ++set)
    table.for_each_live(set, first, last,
                        [&](std::uint32_t slot, std::uint32_t) { ++holders_[slot - first]; });
  table.set_entry_pairs(entry, std::accumulate(holders_.begin(), holders_.end(), 0u));
  if (pool_.references(block) > 1) return;  // what was read there has let go of it
  forget(block);
  pool_.rewrite(block, holders_);
}

KvCache::Reclaimed KvCache::pack(CachedSequence& sequence, std::uint32_t index,
                                 std::uint32_t first_slot) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t b = config_.block_size, first_entry = first_slot / b;
  VACANCY_ASSERT(first_slot % b == 0, "packing starts at a block");
  const auto entries = static_cast<std::uint32_t>(table.entries().size());
  const std::uint32_t used = first_entry + (table.fullest_set(first_slot) + b - 1) / b;
  for (std::uint32_t entry = used; entry < entries; ++entry)
    if (pool_.references(table.entries()[entry]) > 1) drop_entry(table, entry);  // read only
  counts_.resize(table.sets());
  const std::uint64_t moved = table.pack(first_slot, counts_);
  hold_packed(table, first_entry);
  report_forgotten(UncacheCause::rewrite);
  observer_.on_event(TablePacked{sequence.id, index, first_slot, table.length(), moved});

  Reclaimed result;
  result.bytes_moved = set_token_bytes(moved);
  entries_.resize(entries - used);
  std::iota(entries_.begin(), entries_.end(), used);
  if (used < entries)
    result.blocks_freed = release(sequence, index, entries_, true, FreeCause::eviction);
  return result;
}

void KvCache::hold_packed(BlockTable& table, std::uint32_t first_entry) {
  const std::uint32_t b = config_.block_size;
  // holders_[i]: sets that reach slot i behind the start of the entry.
  holders_.assign(table.length() - first_entry * b + 1, 0);
  for (const std::uint32_t count : counts_) {
    ++holders_[0];
    --holders_[count];
  }
  std::partial_sum(holders_.begin(), holders_.end(), holders_.begin());
  holders_.pop_back();
  table.set_live_pairs(first_entry, holders_);
  for (std::uint32_t entry = first_entry; entry < table.entries().size(); ++entry) {
    const BlockId block = table.entries()[entry];
    const std::size_t first =
        std::min<std::size_t>(std::size_t{entry - first_entry} * b, holders_.size());
    VACANCY_ASSERT(block != null_block, "survivors are packed into blocks");
    if (pool_.references(block) > 1) {
      VACANCY_ASSERT(first == holders_.size(), "only unshared blocks are written");
      continue;
    }
    forget(block);
    pool_.rewrite(block, std::span(holders_).subspan(
                             first, std::min<std::size_t>(b, holders_.size() - first)));
  }
}

KvCache::Reclaimed KvCache::copy_out(CachedSequence& sequence, std::uint32_t index,
                                     std::uint32_t first_slot, std::uint32_t fresh) {
  BlockTable& table = sequence.tables[index];
  const std::uint32_t b = config_.block_size, first_entry = first_slot / b;
  const auto old_end = static_cast<std::uint32_t>(table.entries().size());
  VACANCY_ASSERT(first_slot % b == 0 && fresh == (table.fullest_set(first_slot) + b - 1) / b,
                 "survivors fill the fresh blocks from the start of an entry on");
  blocks_.clear();
  for (std::uint32_t n = 0; n < fresh; ++n) {
    blocks_.push_back(allocate());
    table.push_entry(blocks_.back());
  }
  report_forgotten(UncacheCause::allocation);
  observer_.on_event(BlocksAllocated{sequence.id, index, old_end, blocks_});

  table.for_each_entry(first_entry, old_end,
                       [&](std::uint32_t entry) { drop_entry(table, entry); });
  counts_.resize(table.sets());
  table.copy_out(first_slot, old_end * b, counts_);
  hold_packed(table, old_end);
  const std::uint64_t moved = std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
  observer_.on_event(
      TableCopiedOut{sequence.id, index, first_slot, old_end * b, table.length(), moved});

  entries_.resize(old_end - first_entry);
  std::iota(entries_.begin(), entries_.end(), first_entry);
  return {release(sequence, index, entries_, true, FreeCause::eviction), set_token_bytes(moved),
          Bytes(0)};
}

std::uint32_t KvCache::release(CachedSequence& sequence, std::uint32_t index,
                               std::span<const std::uint32_t> entries, bool shift,
                               FreeCause cause) {
  BlockTable& table = sequence.tables[index];
  blocks_.clear();
  for (const std::uint32_t entry : entries)
    blocks_.push_back(table.entries()[entry]);
  for (std::size_t i = entries.size(); i-- > 0;) {
    VACANCY_ASSERT(table.live_pairs(entries[i]) == 0, "a released entry holds a live token");
    if (blocks_[i] != null_block && cause == FreeCause::eviction &&
        pool_.references(blocks_[i]) == 1)
      forget(blocks_[i]);
  }
  report_forgotten(UncacheCause::eviction);
  const std::uint32_t freed = pool_.release(blocks_);
  table.remove_entries(entries, shift);
  observer_.on_event(BlocksReleased{sequence.id, index, cause, shift, entries, blocks_, freed});
  return freed;
}

void KvCache::drop_entry(const BlockTable& table, std::uint32_t entry) {
  const BlockId block = table.entries()[entry];
  for_each_holder(
      table, entry, [&] { pool_.drop_holders(block, table.sets()); },
      [&](std::uint32_t offset) { pool_.drop_holder(block, offset); });
}

void KvCache::release_all(SequenceId id, FreeCause cause) {
  CachedSequence& sequence = at(id);
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    const BlockTable& table = sequence.tables[index];
    if (table.entries().empty()) continue;
    table.for_each_entry(0, static_cast<std::uint32_t>(table.entries().size()),
                         [&](std::uint32_t entry) { drop_entry(table, entry); });
    const std::uint32_t freed = pool_.release(table.entries());
    entries_.resize(table.entries().size());
    std::iota(entries_.begin(), entries_.end(), 0u);
    observer_.on_event(BlocksReleased{id, index, cause, true, entries_, table.entries(), freed});
  }
  sequences_.erase(id);
  if (id.value() < by_id_.size()) by_id_[id.value()] = nullptr;
  changed();
}

void KvCache::finish(SequenceId id, FreeCause cause) {
  release_all(id, cause);
  observer_.on_event(SequenceFinished{id});
}

void KvCache::preempt(SequenceId id) {
  release_all(id, FreeCause::preemption);
  observer_.on_event(SequencePreempted{id});
}

void KvCache::changed() {
#ifndef NDEBUG
  constexpr std::uint64_t slots_per_change = VACANCY_CHECKED_SLOTS_PER_CHANGE;
  const std::uint64_t cost =
      std::uint64_t{pool_.created()} * config_.block_size * config_.layout.sets_per_table();
  check_credit_ += slots_per_change;
  if (check_credit_ < cost) return;
  check_credit_ = 0;
  check_invariants();
#endif
}

}  // namespace vacancy
