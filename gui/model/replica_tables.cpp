// SPDX-License-Identifier: Apache-2.0
#include "gui/model/replica_tables.hpp"

#include <numeric>
#include <utility>

#include "gui/model/bit_runs.hpp"
#include "gui/model/byte_stream.hpp"
#include "gui/model/state_hash.hpp"

namespace vacancy::gui {

namespace {

/// Room for so many of something, given that there is room for `room`: as much where it fits and is
/// not far too much, so that a table that grows by a few slots a step is not laid out anew each
/// time.
std::size_t room_for(std::size_t needed, std::size_t room) {
  if (needed <= room && room <= 2 * needed + 64) return room;
  return needed + needed / 8;
}

/// Lists of `lists` × `from` values become `lists` × `to`; of each the first `used` stay.
template <class T>
void relay(std::vector<T>& values, std::uint32_t lists, std::size_t from, std::size_t to,
           std::size_t used) {
  std::vector<T> out(lists * to, T{});
  for (std::size_t i = 0; i < lists; ++i)
    std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(i * from), used,
                out.begin() + static_cast<std::ptrdiff_t>(i * to));
  values = std::move(out);
}

/// The part if it may be written, else a copy that may.
template <class Part>
Part& own(std::shared_ptr<const Part>& part, std::uint64_t writer) {
  if (!part || part->owner != writer) {
    auto copy = part ? std::make_shared<Part>(*part) : std::make_shared<Part>();
    copy->owner = writer;
    part = std::move(copy);
  }
  return const_cast<Part&>(*part);  // made as no constant, and nobody else has it
}

}  // namespace

bool ReplicaTable::holds(std::uint32_t set, std::uint32_t slot) const {
  if (slot >= length) return false;
  return slot >= stored || bits::test(mask(set), slot);
}

std::uint32_t ReplicaTable::holders(std::uint32_t slot) const {
  if (slot >= stored) return slot < length ? sets : 0;
  std::uint32_t count = 0;
  for (std::uint32_t set = 0; set < sets; ++set)
    count += bits::test(mask(set), slot) ? 1u : 0u;
  return count;
}

std::uint32_t ReplicaTable::token_of(std::uint32_t set, std::uint32_t slot) const {
  if (slot >= stored) return run_token + (slot - stored);
  return tokens ? tokens->values[set * tokens->slots + slot] : slot;
}

std::uint32_t ReplicaTable::token(std::uint32_t slot) const {
  for (std::uint32_t set = 0; set < sets; ++set)
    if (holds(set, slot)) return token_of(set, slot);
  return token_of(0, slot);
}

std::uint32_t ReplicaTable::vacated_in(std::uint32_t slot) const {
  return rounds && slot < stored ? rounds->values[slot] : no_round;
}

std::uint32_t ReplicaTable::live_count(std::uint32_t set) const {
  const auto kept =
      stored == 0 ? 0u : static_cast<std::uint32_t>(bits::count_range(mask(set), 0, stored));
  return kept + (length - stored);
}

void ReplicaTable::held_mask(std::vector<std::uint64_t>& out) const {
  out.assign(bits::words(length), 0);
  for (std::uint32_t set = 0; stored > 0 && set < sets; ++set) {
    const auto words = mask(set);
    for (std::size_t i = 0; i < words.size() && i < out.size(); ++i)
      out[i] |= words[i];
  }
  bits::set_range(out, stored, length);
}

ReplicaTable::Masks& ReplicaTable::own_masks(std::uint64_t writer) {
  return own(live, writer);
}

ReplicaTable::Numbers& ReplicaTable::own_tokens(std::uint64_t writer) {
  const bool fresh = !tokens;
  Numbers& numbers = own(tokens, writer);
  numbers.twin.reset();
  if (fresh) {
    numbers.slots = room_for(stored, 0);
    numbers.values.resize(sets * numbers.slots);
    for (std::uint32_t set = 0; set < sets; ++set) {
      std::uint32_t* const token = numbers.of(set);
      std::iota(token, token + stored, 0u);
    }
  }
  return numbers;
}

ReplicaTable::Numbers& ReplicaTable::own_rounds(std::uint64_t writer) {
  Numbers& numbers = own(rounds, writer);
  numbers.values.resize(stored, no_round);
  return numbers;
}

void ReplicaTable::resize_slots(std::uint32_t slots, std::uint64_t writer) {
  Masks& masks = own_masks(writer);
  for (std::uint32_t set = 0; slots < stored && set < sets; ++set)
    bits::clear_from(mask(masks, set), slots);
  const std::uint32_t kept = std::min(slots, stored);
  if (const std::size_t room = room_for(bits::words(slots), masks.words); room != masks.words) {
    relay(masks.bits, sets, masks.words, room, bits::words(kept));
    masks.words = room;
  }
  if (tokens) {
    Numbers& numbers = own_tokens(writer);
    if (const std::size_t room = room_for(slots, numbers.slots); room != numbers.slots) {
      relay(numbers.values, sets, numbers.slots, room, kept);
      numbers.slots = room;
    }
    for (std::uint32_t set = 0; set < sets; ++set)
      std::fill(numbers.of(set) + kept, numbers.of(set) + slots, no_token);
  }
  if (rounds) own_rounds(writer).values.resize(slots, no_round);
  length = stored = slots;
}

void ReplicaTable::store_run(std::uint64_t writer) {
  const std::uint32_t first = stored, end = length;
  if (first == end) return;
  if (!tokens && run_token != first) own_tokens(writer);
  resize_slots(end, writer);
  Masks& masks = own_masks(writer);
  for (std::uint32_t set = 0; set < sets; ++set)
    bits::set_range(mask(masks, set), first, end);
  if (!tokens) return;
  Numbers& numbers = own_tokens(writer);
  for (std::uint32_t set = 0; set < sets; ++set)
    std::iota(numbers.of(set) + first, numbers.of(set) + end, run_token);
}

void ReplicaTable::append(std::uint32_t first_token, std::uint32_t count, std::uint64_t writer) {
  if (stored == length) run_token = first_token;
  const std::uint32_t first = length;
  length += count;
  // Adopted entries may be null: what would lie there is outside the attention window.
  bool absent = false;
  for (std::uint32_t entry = first / block_size;
       entry < entries.size() && entry * block_size < length; ++entry)
    absent = absent || entries[entry] == null_entry;
  if (!absent) return;
  store_run(writer);
  Masks& masks = own_masks(writer);
  for (std::uint32_t entry = first / block_size; entry < entries.size(); ++entry)
    for (std::uint32_t set = 0; entries[entry] == null_entry && set < sets; ++set)
      bits::clear_range(mask(masks, set), std::min(entry * block_size, length),
                        std::min((entry + 1) * block_size, length));
}

void ReplicaTable::evict_set(std::uint32_t set, std::span<const std::uint64_t> keep,
                             std::uint64_t writer) {
  const auto words = mask(own_masks(writer), set);
  if (!ordered) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> by_token;
    bits::for_each(words, 0, stored, [&](std::size_t slot) {
      const auto s = static_cast<std::uint32_t>(slot);
      by_token.emplace_back(token_of(set, s), s);
    });
    std::sort(by_token.begin(), by_token.end());
    for (std::size_t i = 0; i < by_token.size(); ++i)
      if (!bits::test(keep, i)) bits::clear(words, by_token[i].second);
    return;
  }
  if (bits::count_range(words, 0, stored) == stored) {  // the i-th live token stands in slot i
    for (std::size_t i = 0; i < words.size(); ++i)
      words[i] &= keep[i];
    return;
  }
  std::size_t ordinal = 0;
  bits::for_each(words, 0, stored, [&](std::size_t slot) {
    if (!bits::test(keep, ordinal++)) bits::clear(words, slot);
  });
}

void ReplicaTable::note_vacated(std::span<const std::uint64_t> before,
                                std::span<const std::uint64_t> after, std::uint32_t round,
                                std::uint64_t writer) {
  Numbers* numbers = nullptr;
  for (std::size_t word = 0; word < before.size(); ++word) {
    const std::uint64_t gone = before[word] & ~after[word];
    if (gone == 0) continue;
    if (numbers == nullptr) numbers = &own_rounds(writer);
    bits::for_each(std::span(&gone, 1), 0, bits::per_word,
                   [&](std::size_t bit) { numbers->values[word * bits::per_word + bit] = round; });
  }
}

void ReplicaTable::pack(std::uint32_t first_slot, std::uint32_t end, std::uint64_t writer) {
  store_run(writer);
  Numbers& numbers = own_tokens(writer);
  Masks& masks = own_masks(writer);
  for (std::uint32_t set = 0; set < sets; ++set) {
    std::uint32_t* const token = numbers.of(set);
    const auto words = mask(masks, set);
    std::uint32_t target = first_slot;
    for_each_run(words, first_slot, stored, [&](std::size_t first, std::size_t last) {
      if (first != target) std::copy(token + first, token + last, token + target);
      target += static_cast<std::uint32_t>(last - first);
    });
    bits::clear_from(words, first_slot);
    bits::set_range(words, first_slot, target);
  }
  if (rounds) {
    auto& values = own_rounds(writer).values;
    std::fill(values.begin() + std::min(first_slot, stored), values.end(), no_round);
  }
  resize_slots(end, writer);
}

void ReplicaTable::copy_out(std::uint32_t first_slot, std::uint32_t target_slot, std::uint32_t end,
                            std::uint64_t writer) {
  store_run(writer);
  const std::uint32_t old_end = stored;
  own_tokens(writer);
  resize_slots(std::max(end, target_slot), writer);
  Numbers& numbers = own_tokens(writer);
  Masks& masks = own_masks(writer);
  for (std::uint32_t set = 0; set < sets; ++set) {
    std::uint32_t* const token = numbers.of(set);
    const auto words = mask(masks, set);
    std::uint32_t target = target_slot;
    bits::for_each(words, first_slot, old_end,
                   [&](std::size_t slot) { token[target++] = token[slot]; });
    bits::clear_range(words, first_slot, old_end);
    bits::set_range(words, target_slot, target);
  }
}

void ReplicaTable::move(const TableMoves& moves, std::uint32_t end, std::uint64_t writer) {
  store_run(writer);
  own_tokens(writer);
  std::uint32_t reach = stored;
  for (const SlotMove& move : moves.all())
    reach = std::max(reach, move.target + 1);
  resize_slots(reach, writer);
  Numbers& numbers = own_tokens(writer);
  Masks& masks = own_masks(writer);
  for (std::uint32_t set = 0; set < sets && set < moves.sets(); ++set) {
    std::uint32_t* const token = numbers.of(set);
    const auto words = mask(masks, set);
    for (const auto& [source, target] : moves.of(set)) {
      token[target] = token[source];
      bits::clear(words, source);
      bits::set(words, target);
    }
  }
  if (!moves.all().empty()) ordered = false;
  resize_slots(end, writer);
}

void ReplicaTable::release(std::span<const std::uint32_t> gone, bool shift, std::uint64_t writer) {
  store_run(writer);
  const std::uint32_t b = block_size;
  if (!shift) {
    for (const std::uint32_t entry : gone) {
      entries[entry] = null_entry;
      const std::uint32_t first = std::min(entry * b, stored), last = std::min(first + b, stored);
      if (first == last) continue;
      Masks& masks = own_masks(writer);
      for (std::uint32_t set = 0; set < sets; ++set)
        bits::clear_range(mask(masks, set), first, last);
    }
    return;
  }
  if (stored > 0) own_tokens(writer);
  std::size_t left = 0;
  std::uint32_t next_entry = 0, next_slot = 0;
  for (std::uint32_t entry = 0; entry < entries.size(); ++entry) {
    if (left < gone.size() && gone[left] == entry) {
      ++left;
      continue;
    }
    entries[next_entry++] = entries[entry];
    const std::uint32_t first = std::min(entry * b, stored), last = std::min(first + b, stored);
    if (next_slot != first && first < last) {
      Numbers& numbers = own_tokens(writer);
      Masks& masks = own_masks(writer);
      for (std::uint32_t set = 0; set < sets; ++set) {
        std::uint32_t* const token = numbers.of(set);
        const auto words = mask(masks, set);
        for (std::uint32_t slot = first, to = next_slot; slot < last; ++slot, ++to) {
          token[to] = token[slot];
          bits::assign(words, to, bits::test(words, slot));
        }
      }
      if (rounds) {
        auto& values = own_rounds(writer).values;
        std::copy(values.begin() + first, values.begin() + last, values.begin() + next_slot);
      }
    }
    next_slot += last - first;
  }
  entries.resize(next_entry);
  if (next_slot != stored) resize_slots(next_slot, writer);
}

void ReplicaTable::pack_tokens() {
  if (!tokens || stored == 0 || !tokens->packed.empty()) return;
  if (!tokens->twin) {
    const auto twin = std::make_shared<Numbers>();
    twin->slots = tokens->slots;
    twin->packed.reserve(std::size_t{sets} * stored * 5 / 4);  // most differences are one byte
    ByteWriter out(twin->packed);
    std::int64_t last = 0;
    for (std::uint32_t set = 0; set < sets; ++set)
      for (std::uint32_t slot = 0; slot < stored; ++slot) {
        const std::uint32_t token = tokens->values[set * tokens->slots + slot];
        out.difference(std::int64_t{token} - last);
        last = token;
      }
    tokens->twin = twin;
  }
  tokens = tokens->twin;
}

void ReplicaTable::unpack_tokens(std::uint64_t writer, Spare& spare) {
  if (!tokens || tokens->packed.empty()) return;
  const auto numbers = std::make_shared<Numbers>();
  numbers->owner = writer;
  numbers->slots = tokens->slots;
  if (!spare.empty()) {
    numbers->values = std::move(spare.back());
    spare.pop_back();
  }
  numbers->values.resize(sets * numbers->slots);
  ByteReader in(tokens->packed);
  std::int64_t last = 0;
  for (std::uint32_t set = 0; set < sets; ++set) {
    std::uint32_t* const token = numbers->of(set);
    for (std::uint32_t slot = 0; slot < stored; ++slot) {
      last += in.difference();
      token[slot] = static_cast<std::uint32_t>(last);
    }
  }
  tokens = numbers;
}

void ReplicaTable::give_memory_to(Spare& spare) {
  if (tokens.use_count() == 1) spare.push_back(std::move(const_cast<Numbers&>(*tokens).values));
}

void ReplicaTable::disown(std::uint64_t writer) {
  const auto give_up = [&](const auto& part) {
    // Whoever may write it is alone with it.
    if (part && part->owner == writer) const_cast<std::uint64_t&>(part->owner) = 0;
  };
  give_up(live);
  give_up(tokens);
  give_up(rounds);
}

std::uint64_t ReplicaTable::hash() const {
  StateHash hash;
  hash.add(length);
  for (const std::uint32_t entry : entries)
    hash.add(entry);
  for (std::uint32_t slot = 0; slot < length; ++slot) {
    hash.add(vacated_in(slot));
    for (std::uint32_t set = 0; set < sets; ++set)
      hash.add(holds(set, slot) ? token_of(set, slot) : no_token);
  }
  hash.add(ordered ? 1 : 0);
  return hash.value();
}

std::size_t ReplicaTable::bytes() const {
  std::size_t bytes = sizeof *this + entries.size() * sizeof entries[0];
  if (live) bytes += live->bits.size() * sizeof(std::uint64_t);
  if (tokens) bytes += tokens->values.size() * sizeof(std::uint32_t) + tokens->packed.capacity();
  if (rounds) bytes += rounds->values.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace vacancy::gui
