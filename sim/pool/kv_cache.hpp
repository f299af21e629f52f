// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "sim/pool/block_pool.hpp"
#include "sim/pool/block_table.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/pool/events.hpp"
#include "sim/pool/keep_sets.hpp"
#include "sim/pool/reclaim_plan.hpp"

namespace vacancy {

struct CacheConfig {
  std::uint32_t block_size = 16;        // slots
  std::optional<std::uint32_t> blocks;  // usable blocks; nothing: unlimited
  CacheLayout layout{1, 1, TableKind::shared, Scope::model};
  Bytes block_bytes;  // of one block of one table
  FreeOrder free_order = FreeOrder::append;
  std::optional<std::uint32_t> blocks_per_page{};  // of device pages; nothing: not counted
};

/// Who can find blocks by their contents: a prefix index.
class CachedContents {
 public:
  virtual ~CachedContents() = default;
  /// The blocks' contents are going: they are allocated anew (spec engines V8), rewritten by a
  /// reclaimer, or freed by eviction (I6).
  virtual void forget(std::span<const BlockId> blocks) = 0;
};

/// One sequence in the cache: its tables, one for each thing that owns one (CacheLayout::tables).
struct CachedSequence {
  SequenceId id;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t next_position = 0;   // t: tokens so far, evicted ones included
  std::uint32_t rounds = 0;          // evictions so far
  std::uint32_t round_position = 0;  // t at the last of them
  std::uint32_t live = 0;            // live tokens of the fullest set
  bool evicting = false;  // evicted from, and not reclaimed yet: empty blocks may be held
  std::vector<BlockTable> tables;
};

/// The paged KV cache: pool, tables and the tokens in their slots. The one place where state
/// changes: policies and reclaimers decide on const views, KvCache does it, keeps the invariants of
/// spec policies §5 and tells the observer.
class KvCache {
 public:
  KvCache(const CacheConfig& config, Observer& observer, CachedContents* contents = nullptr,
          BlockReplacement* replacement = nullptr);

  const CacheConfig& config() const { return config_; }
  const BlockPool& pool() const { return pool_; }
  const CachedSequence& sequence(SequenceId id) const;
  /// All sequences in the cache, by id.
  const std::map<SequenceId, CachedSequence>& sequences() const { return sequences_; }

  void start(SequenceId id, std::uint32_t prompt_tokens);
  /// A sequence without tokens takes full blocks with cached contents as its first entries.
  /// `entries`: those of its first table, then as many of each further one; null_block where a
  /// table does not need the tokens any more. The blocks may be held by others or free; the free
  /// ones leave the queue table after table, in this order.
  void adopt(SequenceId id, std::span<const BlockId> entries);
  /// Blocks that appending `count` tokens would take from the pool, copies of shared ones included.
  std::uint64_t blocks_needed(SequenceId id, std::uint32_t count) const;
  /// Gives `count` tokens a slot in every table. All or nothing: false, and nothing changed, if the
  /// pool has too few free blocks.
  [[nodiscard]] bool append(SequenceId id, std::uint32_t count);
  /// Prefix indexes can find the blocks of the entries from `first` on, which are not null: their
  /// contents are complete. Blocks lose that when they are allocated anew.
  void set_cached(SequenceId id, std::uint32_t table, std::uint32_t first,
                  std::span<const ContentId> contents);
  /// A free block gives up its cached contents before its room is needed.
  void drop_cached(BlockId block, UncacheCause cause);
  /// All blocks lose their cached contents. No sequence is in the cache.
  void forget_all();
  /// Tokens below `first_token` are outside a table's attention window: entries that hold nothing
  /// else let go of their blocks, the last one first, and become null (spec engines V27).
  void leave_window(SequenceId id, std::uint32_t table, std::uint32_t first_token);
  /// The child starts with the parent's tokens and shares all its blocks.
  void fork(SequenceId parent, SequenceId child);
  /// Describes the tokens appended lately in every set, so that a decision can read them without
  /// copying (BlockTable::packed). Changes the representation, not the state.
  void settle(SequenceId id);
  /// Applies a policy's decision: tokens not kept become holes.
  void evict(SequenceId id, const KeepSets& keep);
  /// The sequence as evict() would leave it, before it is: for a plan that may turn out impossible.
  void preview(SequenceId id, const KeepSets& keep, CachedSequence& out);
  /// Carries out a plan made for the present state; returns what it cost and gave. The blocks that
  /// it takes are free, and it is not refused.
  struct Reclaimed {
    std::int64_t blocks_freed = 0;  // less those that it took
    Bytes bytes_moved;
    Bytes bytes_copied;  // to un-share
  };
  Reclaimed reclaim(SequenceId id, const ReclaimPlan& plan);
  /// The sequence ends; its blocks are released table after table, each in the pool's free order.
  void finish(SequenceId id, FreeCause cause = FreeCause::sequence_end);
  /// The same for a sequence that will start anew.
  void preempt(SequenceId id);

  /// Aborts if any of I1–I8 (spec policies §5) or a count of this class is wrong; reads everything.
  void check_invariants() const;

 private:
  CachedSequence& at(SequenceId id);
  CachedSequence& add(CachedSequence fresh);
  static std::uint32_t fullest_set(const CachedSequence& sequence);
  BlockId allocate();
  /// I6: a block that is allocated, rewritten or freed by eviction has no cached contents.
  void forget(BlockId block);
  void report_forgotten(UncacheCause cause);
  std::uint64_t blocks_needed(const BlockTable& table, std::uint32_t count) const;
  bool last_block_shared(const BlockTable& table) const;
  /// An entry's shared block gets a private copy.
  Bytes copy_block(CachedSequence& sequence, std::uint32_t table, std::uint32_t entry);
  void extend(CachedSequence& sequence, std::uint32_t table, std::uint32_t count);
  Reclaimed pack(CachedSequence& sequence, std::uint32_t table, std::uint32_t first_slot);
  Reclaimed copy_out(CachedSequence& sequence, std::uint32_t table, std::uint32_t first_slot,
                     std::uint32_t fresh);
  /// The pool learns which slots the packed survivors hold, counts_[set] of them from the start of
  /// an entry on. Entries behind their end are shared only if the table lets go of them next.
  void hold_packed(BlockTable& table, std::uint32_t first_entry);
  Bytes move(CachedSequence& sequence, std::uint32_t table, const TableMoves& moves);
  /// The pool learns anew which slots of an entry's block are held.
  void rewrite(BlockTable& table, std::uint32_t entry);
  /// Calls whole() if every set of the table holds every slot of the entry up to the table's end,
  /// else one(offset) for each set and slot that it holds.
  template <class Whole, class One>
  void for_each_holder(const BlockTable& table, std::uint32_t entry, Whole&& whole,
                       One&& one) const;
  /// Drops the tokens that `keep` does not name, and calls dropped(block, drops) for each block
  /// that lost some.
  struct Dropped {
    std::uint64_t set_tokens = 0, vacated = 0;
  };
  template <class F>
  Dropped drop_tokens(CachedSequence& sequence, const KeepSets& keep, F&& dropped);
  /// The sets of a table dropped tokens: drops_[slot] of them in each slot. Clears drops_.
  template <class F>
  void apply_drops(BlockTable& table, F&& dropped);
  Bytes set_token_bytes(std::uint64_t set_tokens) const;
  /// The holders of an entry's slots let go.
  void drop_entry(const BlockTable& table, std::uint32_t entry);
  void release_all(SequenceId id, FreeCause cause);
  /// Drops entries whose slots no set of the table holds; returns the blocks that became free.
  std::uint32_t release(CachedSequence& sequence, std::uint32_t table,
                        std::span<const std::uint32_t> entries, bool shift, FreeCause cause);

  /// Debug builds: checks the invariants after a change. Small caches after every one, large ones
  /// as often as keeps the cost of checking proportional to the number of changes.
  void changed();

  CacheConfig config_;
  Observer& observer_;
  CachedContents* contents_;
  BlockPool pool_;
  std::map<SequenceId, CachedSequence> sequences_;
  /// The same, for O(1) access; null if not in the cache. Without further candidates of a request.
  std::vector<CachedSequence*> by_id_;
  // Reused by events, so that steady state allocates nothing.
  std::vector<BlockId> blocks_, forgotten_;
  std::vector<std::uint32_t> entries_, counts_, holders_;
  std::vector<BlockTable::LiveSlot> live_slots_;
  std::vector<std::uint8_t> drops_;  // by slot, while a table is evicted from; else all zero
  std::uint64_t check_credit_ = 0;
};

}  // namespace vacancy
