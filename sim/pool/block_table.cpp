// SPDX-License-Identifier: Apache-2.0
#include "sim/pool/block_table.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "sim/units/error.hpp"
#include "sim/units/marked.hpp"

namespace vacancy {

BlockTable::BlockTable(std::uint32_t block_size, std::uint32_t sets)
    : block_size_(block_size), sets_(sets) {}

BlockTable BlockTable::restored(std::uint32_t block_size, std::uint32_t tokens,
                                const Recorded& from) {
  BlockTable table(block_size, static_cast<std::uint32_t>(from.live.size()));
  for (const BlockId block : from.entries)
    table.push_entry(block);
  table.length_ = table.stored_slots_ = from.length;
  table.explicit_tokens_ = true;
  table.ordered_ = from.ordered;
  if (table.sets() > 1) table.sets_holding_.assign(tokens, 0);
  for (std::size_t index = 0; index < from.live.size(); ++index) {
    Set& set = table.sets_[index];
    set.live.assign(bits::words(from.length), 0);
    set.tokens.assign(from.length, 0);
    set.live_count = static_cast<std::uint32_t>(from.live[index].size());
    for (const auto& [token, slot] : from.live[index]) {
      bits::set(set.live, slot);
      set.tokens[slot] = token;
      ++table.live_pairs_[slot / block_size];
      if (table.sets() > 1) ++table.sets_holding_[token];
    }
  }
  return table;
}

void BlockTable::push_entry(BlockId block) {
  present_.resize(bits::words(entries_.size() + 1), 0);
  bits::assign(present_, entries_.size(), block != null_block);
  entries_.push_back(block);
  live_pairs_.push_back(0);
}

std::uint32_t BlockTable::held_slots() const {
  if (entries_.empty()) return 0;
  const auto held = static_cast<std::uint32_t>(bits::count_range(present_, 0, entries_.size()));
  const auto end = static_cast<std::uint32_t>(entries_.size() * block_size_);
  return held * block_size_ - (entries_.back() == null_block ? 0 : end - length_);
}

std::uint32_t BlockTable::fullest_set(std::uint32_t first_slot) const {
  const std::uint32_t run = length_ - std::clamp(first_slot, stored_slots_, length_);
  const std::uint32_t first = std::min(first_slot, stored_slots_);
  std::uint32_t most = 0;
  for (const Set& set : sets_)
    most = std::max(
        most, run + static_cast<std::uint32_t>(bits::count_range(set.live, first, stored_slots_)));
  return most;
}

void BlockTable::append(std::uint32_t first_token, std::uint32_t count) {
  if (stored_slots_ == length_) run_token_ = first_token;
  for (std::uint32_t left = count; left > 0;) {
    const std::uint32_t entry = length_ / block_size_;
    const std::uint32_t here = std::min(left, (entry + 1) * block_size_ - length_);
    live_pairs_[entry] += here * sets();
    length_ += here;
    left -= here;
  }
}

void BlockTable::store_run() {
  const std::uint32_t count = length_ - stored_slots_;
  if (count == 0) return;
  for (Set& set : sets_) {
    set.live.resize(bits::words(length_), 0);
    bits::set_range(set.live, stored_slots_, length_);
    set.live_count += count;
    if (explicit_tokens_) {
      set.tokens.resize(length_);
      std::iota(set.tokens.begin() + stored_slots_, set.tokens.end(), run_token_);
    }
  }
  if (sets() > 1) sets_holding_.resize(run_token_ + count, sets());
  stored_slots_ = length_;
}

BlockTable::Evicted BlockTable::evict(std::uint32_t set, std::span<const std::uint64_t> keep,
                                      std::span<std::uint8_t> drops,
                                      std::vector<LiveSlot>& scratch) {
  Set& s = sets_[set];
  Evicted result;
  const auto drop = [&](std::uint32_t slot, std::uint32_t token) {
    ++drops[slot];
    ++result.tokens;
    if (sets() == 1 || --sets_holding_[token] == 0) ++result.vacated;
  };
  if (!ordered_) {
    list_live(set, scratch);
    for (std::size_t ordinal = 0; ordinal < scratch.size(); ++ordinal) {
      if (bits::test(keep, ordinal)) continue;
      bits::clear(s.live, scratch[ordinal].slot);
      drop(scratch[ordinal].slot, scratch[ordinal].token);
    }
  } else if (s.live_count == stored_slots_) {  // no holes: the i-th live token stands in slot i
    for (std::size_t word = 0; word < keep.size(); ++word) {
      std::uint64_t gone = s.live[word] & ~keep[word];
      s.live[word] &= keep[word];
      for (; gone != 0; gone &= gone - 1) {
        const auto slot = static_cast<std::uint32_t>(
            word * bits::per_word + static_cast<std::size_t>(std::countr_zero(gone)));
        drop(slot, token_at(s, slot));
      }
    }
  } else {
    std::uint32_t ordinal = 0;
    for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
      if (bits::test(keep, ordinal++)) return;
      bits::clear(s.live, slot);
      drop(slot, token);
    });
  }
  s.live_count -= result.tokens;
  return result;
}

void BlockTable::list_live(std::uint32_t set, std::vector<LiveSlot>& out) const {
  out.clear();
  out.reserve(live_count(set));
  for_each_live(set, [&](std::uint32_t slot, std::uint32_t token) {
    out.push_back({token, slot});
  });
  if (!ordered_) std::ranges::sort(out, {}, &LiveSlot::token);
}

void BlockTable::resize_slots(std::uint32_t slots) {
  for (Set& set : sets_) {
    set.tokens.resize(slots);
    set.live.resize(bits::words(slots));
    bits::clear_from(set.live, std::min(slots, stored_slots_));
  }
  length_ = stored_slots_ = slots;
}

void BlockTable::move(const TableMoves& moves) {
  store_run();
  make_tokens_explicit();
  std::uint32_t end = stored_slots_;
  for (const SlotMove& move : moves.all())
    end = std::max(end, move.target + 1);
  resize_slots(end);
  for (std::uint32_t index = 0; index < sets(); ++index) {
    Set& set = sets_[index];
    for (const auto& [source, target] : moves.of(index)) {
      VACANCY_ASSERT(bits::test(set.live, source) && !bits::test(set.live, target),
                     "a survivor moves to a slot that its set does not hold");
      set.tokens[target] = set.tokens[source];
      bits::clear(set.live, source);
      bits::set(set.live, target);
    }
  }
  if (!moves.all().empty()) ordered_ = false;
  std::uint32_t last = std::min(moves.first_slot, stored_slots_);
  for (const Set& set : sets_) {
    std::uint32_t slot = stored_slots_;
    while (slot > last && !bits::test(set.live, slot - 1))
      --slot;
    last = std::max(last, slot);
  }
  resize_slots(last);
}

void BlockTable::vacate(std::uint32_t entry) {
  store_run();
  const std::uint32_t first = entry * block_size_, last = std::min(first + block_size_, length_);
  for (Set& set : sets_) {
    bits::for_each(set.live, first, last, [&](std::size_t slot) {
      --set.live_count;
      if (sets() > 1) --sets_holding_[token_at(set, static_cast<std::uint32_t>(slot))];
    });
    bits::clear_range(set.live, first, last);
  }
  live_pairs_[entry] = 0;
}

void BlockTable::make_tokens_explicit() {
  if (explicit_tokens_) return;
  for (Set& set : sets_) {
    set.tokens.resize(stored_slots_);
    std::iota(set.tokens.begin(), set.tokens.end(), 0u);
  }
  explicit_tokens_ = true;
}

void BlockTable::list_survivors(Set& set, std::uint32_t hole, std::uint32_t room) {
  set.tokens.reserve(room);
  set.tokens.resize(hole);
  std::iota(set.tokens.begin(), set.tokens.end(), 0u);
  bits::for_each(set.live, hole, stored_slots_, [&](std::size_t token) {
    set.tokens.push_back(static_cast<std::uint32_t>(token));
  });
}

void BlockTable::copy_slots(Set& set, std::uint32_t first, std::uint32_t last,
                            std::uint32_t target) {
  for (std::uint32_t slot = first; slot < last; ++slot, ++target) {
    set.tokens[target] = set.tokens[slot];
    bits::assign(set.live, target, bits::test(set.live, slot));
  }
}

std::uint32_t BlockTable::first_hole(const Set& set, std::uint32_t from) const {
  std::uint32_t slot = from;
  while (slot < stored_slots_) {
    const std::uint64_t holes = ~set.live[slot / bits::per_word] >> (slot % bits::per_word);
    if (holes != 0)
      return std::min(slot + static_cast<std::uint32_t>(std::countr_zero(holes)), stored_slots_);
    slot += static_cast<std::uint32_t>(bits::per_word - slot % bits::per_word);
  }
  return stored_slots_;
}

std::uint64_t BlockTable::pack(std::uint32_t first_slot, std::span<std::uint32_t> counts) {
  store_run();
  std::uint32_t longest = 0;
  for (std::size_t index = 0; index < sets_.size(); ++index) {
    counts[index] =
        static_cast<std::uint32_t>(bits::count_range(sets_[index].live, first_slot, stored_slots_));
    longest = std::max(longest, counts[index]);
  }
  std::uint64_t moved = 0;
  for (std::size_t index = 0; index < sets_.size(); ++index) {
    Set& set = sets_[index];
    const std::uint32_t hole = first_hole(set, first_slot);
    if (explicit_tokens_)
      close_ranks(set.tokens, set.live, hole);
    else
      list_survivors(set, hole, first_slot + longest);
    moved += first_slot + counts[index] - hole;
  }
  explicit_tokens_ = true;
  length_ = stored_slots_ = first_slot + longest;
  for (std::size_t index = 0; index < sets_.size(); ++index) {
    Set& set = sets_[index];
    set.tokens.resize(stored_slots_);
    set.live.resize(bits::words(stored_slots_));
    bits::clear_from(set.live, first_slot);
    bits::set_range(set.live, first_slot, first_slot + counts[index]);
  }
  return moved;
}

void BlockTable::copy_out(std::uint32_t first_slot, std::uint32_t target_slot,
                          std::span<std::uint32_t> counts) {
  store_run();
  make_tokens_explicit();
  const std::uint32_t end = stored_slots_;
  resize_slots(target_slot + fullest_set(first_slot));
  for (std::size_t index = 0; index < sets_.size(); ++index) {
    Set& set = sets_[index];
    std::uint32_t target = target_slot;
    bits::for_each(set.live, first_slot, end,
                   [&](std::size_t slot) { set.tokens[target++] = set.tokens[slot]; });
    bits::clear_range(set.live, first_slot, end);
    bits::set_range(set.live, target_slot, target);
    counts[index] = target - target_slot;
  }
  std::fill(live_pairs_.begin() + first_slot / block_size_,
            live_pairs_.begin() + target_slot / block_size_, 0u);
}

void BlockTable::set_live_pairs(std::uint32_t first_entry, std::span<const std::uint32_t> holders) {
  for (std::uint32_t entry = first_entry; entry < entries_.size(); ++entry) {
    const std::size_t first = std::size_t{entry - first_entry} * block_size_;
    const auto slots = holders.subspan(
        std::min(first, holders.size()),
        std::min<std::size_t>(block_size_, holders.size() - std::min(first, holders.size())));
    live_pairs_[entry] = std::accumulate(slots.begin(), slots.end(), 0u);
  }
}

void BlockTable::remove_entries(std::span<const std::uint32_t> entries, bool shift) {
  store_run();
  if (!shift) {
    for (std::uint32_t entry : entries) {
      entries_[entry] = null_block;
      bits::clear(present_, entry);
    }
    return;
  }
  make_tokens_explicit();
  const std::uint32_t old_entries = static_cast<std::uint32_t>(entries_.size());
  std::size_t gone = 0;
  std::uint32_t next_entry = 0, next_slot = 0;
  for (std::uint32_t entry = 0; entry < old_entries; ++entry) {
    if (gone < entries.size() && entries[gone] == entry) {
      ++gone;
      continue;
    }
    entries_[next_entry] = entries_[entry];
    bits::assign(present_, next_entry, entries_[entry] != null_block);
    live_pairs_[next_entry++] = live_pairs_[entry];
    const std::uint32_t first = std::min(entry * block_size_, stored_slots_);
    const std::uint32_t last = std::min(first + block_size_, stored_slots_);
    if (next_slot != first)
      for (Set& set : sets_)
        copy_slots(set, first, last, next_slot);
    next_slot += last - first;
  }
  entries_.resize(next_entry);
  present_.resize(bits::words(next_entry));
  bits::clear_from(present_, next_entry);
  live_pairs_.resize(next_entry);
  resize_slots(next_slot);
}

}  // namespace vacancy
