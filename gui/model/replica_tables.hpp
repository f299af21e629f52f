// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/pool/events.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy::gui {

inline constexpr std::uint32_t null_entry = UINT32_MAX;
inline constexpr std::uint32_t no_token = UINT32_MAX;
inline constexpr std::uint32_t no_round = UINT32_MAX;

/// A table of a sequence as a replica knows it: which block stands in each entry, and which tokens
/// the keep sets of the table hold in which slots. Slots count through the table.
///
/// Like BlockTable, from whose source this is independent: dense until a decision or a null entry
/// makes the sets differ from "slot i holds token i"; tokens appended since are a run at the end
/// that every set holds. What is big is shared by the moments that have it in common and never
/// written once two of them do: `owner` says which replica may.
class ReplicaTable {
 public:
  /// Masks of all sets over the stored slots, one set after another with room to grow behind each.
  struct Masks {
    std::uint64_t owner = 0;
    std::size_t words = 0;  // of one set, room included; bits beyond the stored slots are 0
    std::vector<std::uint64_t> bits;
  };
  /// A number for each stored slot, of all sets one after another, with room, or once for all.
  struct Numbers {
    std::uint64_t owner = 0;
    std::size_t slots = 0;  // of one set, room included
    std::vector<std::uint32_t> values;
    /// In a keyframe, in place of the values: the differences of each set's stored slots.
    std::vector<std::uint8_t> packed;
    /// The same packed, where some keyframe has it.
    mutable std::shared_ptr<const Numbers> twin;

    std::uint32_t* of(std::size_t set) { return values.data() + set * slots; }
  };

  std::uint32_t block_size = 16, sets = 1;
  std::vector<std::uint32_t> entries;     // null_entry: no block any more
  std::uint32_t length = 0;               // T: the tail begins here
  std::uint32_t stored = 0;               // slots below are described by live and tokens
  std::uint32_t run_token = 0;            // the token in the first slot of the run
  bool ordered = true;                    // slot order is position order
  std::shared_ptr<const Masks> live;      // null while stored is 0
  std::shared_ptr<const Numbers> tokens;  // null: slot i holds token i
  std::shared_ptr<const Numbers> rounds;  // the round that vacated a slot; null: none did

  bool dense() const { return stored == 0; }
  bool holds(std::uint32_t set, std::uint32_t slot) const;
  /// Sets that hold a token in the slot.
  std::uint32_t holders(std::uint32_t slot) const;
  /// The token of the first set that holds one in the slot; of a hole the one that was there last.
  std::uint32_t token(std::uint32_t slot) const;
  std::uint32_t token_of(std::uint32_t set, std::uint32_t slot) const;
  std::uint32_t vacated_in(std::uint32_t slot) const;
  std::uint32_t live_count(std::uint32_t set) const;
  /// One bit a slot up to the end: some set holds it.
  void held_mask(std::vector<std::uint64_t>& out) const;
  /// Slots of an entry up to the end of the table.
  std::uint32_t fill_of(std::uint32_t entry) const {
    const std::uint32_t first = entry * block_size;
    return first >= length ? 0 : std::min(block_size, length - first);
  }
  /// Calls f(slot, token) for the live tokens of a set, by slot.
  template <class F>
  void for_each_live(std::uint32_t set, F&& f) const {
    for (std::uint32_t slot = 0; slot < length; ++slot)
      if (holds(set, slot)) f(slot, token_of(set, slot));
  }

  // Changes. `writer`: the replica that makes them.

  void append(std::uint32_t first_token, std::uint32_t count, std::uint64_t writer);
  /// Drops what `keep` does not name in position order; `round` vacated it.
  template <class KeepOf>  // keep_of(set): the mask that speaks for it
  void evict(KeepOf&& keep_of, std::uint32_t round, std::uint64_t writer) {
    std::vector<std::uint64_t> before, after;
    store_run(writer);
    held_mask(before);
    for (std::uint32_t set = 0; set < sets; ++set)
      evict_set(set, keep_of(set), writer);
    held_mask(after);
    note_vacated(before, after, round, writer);
  }
  void pack(std::uint32_t first_slot, std::uint32_t end, std::uint64_t writer);
  void copy_out(std::uint32_t first_slot, std::uint32_t target, std::uint32_t end,
                std::uint64_t writer);
  void move(const TableMoves& moves, std::uint32_t end, std::uint64_t writer);
  void release(std::span<const std::uint32_t> gone, bool shift, std::uint64_t writer);
  void store_run(std::uint64_t writer);

  /// Memory of token numbers that nobody needs any more. What is fresh from the system costs more
  /// than all that is written to it.
  using Spare = std::vector<std::vector<std::uint32_t>>;
  /// Token numbers in a quarter of the memory, for a keyframe; nobody may read or write them before
  /// they are unpacked for a writer.
  void pack_tokens();
  void unpack_tokens(std::uint64_t writer, Spare& spare);
  /// Of a table that is about to go.
  void give_memory_to(Spare& spare);

  /// Another table has the same big parts from now on: nobody writes them any more.
  void disown(std::uint64_t writer);

  std::uint64_t hash() const;
  std::size_t bytes() const;  // what it alone needs, shared parts included

 private:
  void evict_set(std::uint32_t set, std::span<const std::uint64_t> keep, std::uint64_t writer);
  void note_vacated(std::span<const std::uint64_t> before, std::span<const std::uint64_t> after,
                    std::uint32_t round, std::uint64_t writer);
  /// Parts that may be written: of this writer, and of the size of the stored slots.
  Masks& own_masks(std::uint64_t writer);
  Numbers& own_tokens(std::uint64_t writer);
  Numbers& own_rounds(std::uint64_t writer);
  void resize_slots(std::uint32_t slots, std::uint64_t writer);
  /// Of the stored slots, without the room behind them.
  std::span<std::uint64_t> mask(Masks& masks, std::uint32_t set) const {
    return std::span(masks.bits).subspan(set * masks.words, bits::words(stored));
  }
  std::span<const std::uint64_t> mask(std::uint32_t set) const {
    return std::span(live->bits).subspan(set * live->words, bits::words(stored));
  }
};

/// A sequence in a replica.
struct ReplicaSequence {
  std::uint64_t owner = 0;  // the replica that may write it
  std::uint32_t id = 0;
  std::uint32_t prompt_tokens = 0;
  std::uint32_t next_position = 0;
  std::uint32_t request_tokens = 0;       // prompt + output that it asked for; 0: unknown
  std::vector<std::int64_t> round_times;  // when each of its rounds was
  std::vector<ReplicaTable> tables;
};

}  // namespace vacancy::gui
