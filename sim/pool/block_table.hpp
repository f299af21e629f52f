// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "sim/pool/slot_move.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// One block table of a sequence, and which tokens its keep sets hold in which slots. Knows nothing
/// of the pool; KvCache keeps the two in step.
///
/// Slots count through the table: entry × block size + offset. A table starts dense: slot i holds
/// token i for every set, and nothing is stored per slot. The first eviction gives every set a live
/// mask; the first change of slot order (packing, shifting) gives it an explicit token per slot.
/// Tokens appended since then form a run at the end that stays implicit until the next decision.
class BlockTable {
 public:
  /// A token and the slot where it lives.
  struct LiveSlot {
    std::uint32_t token, slot;
  };

  BlockTable(std::uint32_t block_size, std::uint32_t sets);

  /// What somebody who followed a table knows of it: enough to look at it again.
  struct Recorded {
    std::span<const BlockId> entries;  // null_block where one holds no block
    std::uint32_t length = 0;
    bool ordered = true;
    /// The live tokens of each set, by slot.
    std::span<const std::vector<LiveSlot>> live;
  };
  /// The table that was recorded. `tokens`: t of its sequence.
  static BlockTable restored(std::uint32_t block_size, std::uint32_t tokens, const Recorded& from);

  std::uint32_t block_size() const { return block_size_; }
  std::uint32_t sets() const { return static_cast<std::uint32_t>(sets_.size()); }
  /// T: slots in use, holes counted; the tail begins here.
  std::uint32_t length() const { return length_; }
  std::span<const BlockId> entries() const { return entries_; }
  /// Of these, slots whose entries hold a block.
  std::uint32_t held_slots() const;
  /// (set, token) pairs that live in an entry's block.
  std::uint32_t live_pairs(std::uint32_t entry) const { return live_pairs_[entry]; }
  /// Live tokens of a set.
  std::uint32_t live_count(std::uint32_t set) const {
    return sets_[set].live_count + (length_ - stored_slots_);
  }

  /// Live tokens of the fullest set in the slots from `first_slot` on.
  std::uint32_t fullest_set(std::uint32_t first_slot = 0) const;

  /// Calls f(entry) for each entry in [first, last) that is not null.
  template <class F>
  void for_each_entry(std::uint32_t first, std::uint32_t last, F&& f) const {
    bits::for_each(present_, first, last,
                   [&](std::size_t entry) { f(static_cast<std::uint32_t>(entry)); });
  }
  /// Calls f(slot, token) for each live token of a set in slots [first, last), in slot order:
  /// tokens ascend as long as the table is ordered().
  template <class F>
  void for_each_live(std::uint32_t set, std::uint32_t first, std::uint32_t last, F&& f) const;
  template <class F>
  void for_each_live(std::uint32_t set, F&& f) const {
    for_each_live(set, 0, length_, std::forward<F>(f));
  }
  /// True while slot order is position order, as packing and shifting leave it and moves do not.
  bool ordered() const { return ordered_; }
  /// The live tokens of a set in position order.
  void list_live(std::uint32_t set, std::vector<LiveSlot>& out) const;
  /// True if a set holds every slot and its run is stored: the i-th live token stands in slot i.
  bool packed(std::uint32_t set) const {
    return ordered_ && run_stored() && sets_[set].live_count == length_;
  }
  bool run_stored() const { return stored_slots_ == length_; }
  /// The token in each stored slot; empty while slot i holds token i.
  std::span<const std::uint32_t> slot_tokens(std::uint32_t set) const {
    return explicit_tokens_ ? std::span<const std::uint32_t>(sets_[set].tokens)
                            : std::span<const std::uint32_t>();
  }

  // Changes, made by KvCache only.

  void push_entry(BlockId block);
  void replace_entry(std::uint32_t entry, BlockId block) { entries_[entry] = block; }
  /// Tokens first_token, … took the next `count` slots, for which entries exist.
  void append(std::uint32_t first_token, std::uint32_t count);
  /// Stores the run of appended tokens in every set, so that decisions can be applied to them.
  void store_run();
  static constexpr std::uint32_t max_drops = std::numeric_limits<std::uint8_t>::max();
  struct Evicted {
    std::uint32_t tokens = 0;   // dropped by the set
    std::uint32_t vacated = 0;  // of these, held by no set any more
  };
  /// Drops the live tokens of a set that `keep` does not name (bit i: the i-th in position order)
  /// and adds one to drops[slot] for each. After store_run(). drop_pairs() follows for each entry,
  /// once a table or, lest the counts overflow, after max_drops sets.
  Evicted evict(std::uint32_t set, std::span<const std::uint64_t> keep,
                std::span<std::uint8_t> drops, std::vector<LiveSlot>& scratch);
  /// An entry lost so many (set, token) pairs.
  void drop_pairs(std::uint32_t entry, std::uint32_t pairs) { live_pairs_[entry] -= pairs; }
  /// Every set lets go of the tokens in an entry.
  void vacate(std::uint32_t entry);
  /// Sets that hold a token whose run is stored.
  std::uint32_t sets_holding(std::uint32_t token) const { return sets_holding_[token]; }
  /// Closes ranks in all sets from `first_slot` (start of an entry) on. counts[set] becomes the
  /// number of survivors there; the result is how many of them changed their slot. The table then
  /// ends behind the longest set.
  std::uint64_t pack(std::uint32_t first_slot, std::span<std::uint32_t> counts);
  /// Copies the survivors at or beyond `first_slot` in their order to the slots from `target_slot`
  /// on (starts of entries, the latter of one that was empty). counts[set] becomes their number.
  /// The table then ends behind the longest set; the entries between the two slots hold nothing.
  void copy_out(std::uint32_t first_slot, std::uint32_t target_slot,
                std::span<std::uint32_t> counts);
  /// Moves survivors and ends where the moves say. Live pairs of the entries are out of date until
  /// set_entry_pairs().
  void move(const TableMoves& moves);
  void set_entry_pairs(std::uint32_t entry, std::uint32_t pairs) { live_pairs_[entry] = pairs; }
  /// The live pairs of the entries from `first_entry` on: holders[i] sets hold slot i from there.
  void set_live_pairs(std::uint32_t first_entry, std::span<const std::uint32_t> holders);
  /// Takes entries (ascending, without live tokens) out: nulls them, or closes the gaps.
  void remove_entries(std::span<const std::uint32_t> entries, bool shift);

 private:
  struct Set {
    std::vector<std::uint64_t> live;    // bit per stored slot
    std::vector<std::uint32_t> tokens;  // per stored slot, while explicit_tokens_
    std::uint32_t live_count = 0;
  };

  std::uint32_t token_at(const Set& set, std::uint32_t slot) const {
    return explicit_tokens_ ? set.tokens[slot] : slot;
  }
  void make_tokens_explicit();
  void resize_slots(std::uint32_t slots);
  /// Makes a set's tokens explicit and closes its ranks from the first hole on, in one go: a table
  /// whose slot i still holds token i never lists the tokens that are gone.
  void list_survivors(Set& set, std::uint32_t hole, std::uint32_t room);
  /// The first slot at or beyond `from` that the set does not hold; the table's end if none.
  std::uint32_t first_hole(const Set& set, std::uint32_t from) const;
  static void copy_slots(Set& set, std::uint32_t first, std::uint32_t last, std::uint32_t target);

  std::uint32_t block_size_;
  std::vector<BlockId> entries_;
  std::vector<std::uint32_t> live_pairs_;
  std::vector<Set> sets_;
  // Slots [0, stored_slots_) are described by the sets, [stored_slots_, length_) by the run, which
  // every set holds and which starts with token run_token_.
  std::uint32_t stored_slots_ = 0, length_ = 0, run_token_ = 0;
  bool explicit_tokens_ = false, ordered_ = true;
  std::vector<std::uint64_t> present_;       // bit per entry that is not null
  std::vector<std::uint32_t> sets_holding_;  // per token, only where sets > 1
};

template <class F>
void BlockTable::for_each_live(std::uint32_t set, std::uint32_t first, std::uint32_t last,
                               F&& f) const {
  const Set& s = sets_[set];
  const std::uint32_t stored = std::min(last, stored_slots_);
  if (first < stored) {
    // Only blocks that are there: a long decode leaves many null entries behind.
    const std::uint32_t entries = (stored - 1) / block_size_ + 1;
    for_each_entry(first / block_size_, entries, [&](std::uint32_t entry) {
      const std::uint32_t begin = std::max(first, entry * block_size_);
      const std::uint32_t end = std::min((entry + 1) * block_size_, stored);
      bits::for_each(s.live, begin, end, [&](std::size_t i) {
        const auto live = static_cast<std::uint32_t>(i);
        f(live, token_at(s, live));
      });
    });
  }
  for (std::uint32_t slot = std::max(first, stored_slots_); slot < last; ++slot)
    f(slot, run_token_ + (slot - stored_slots_));
}

}  // namespace vacancy
