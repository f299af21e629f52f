// SPDX-License-Identifier: Apache-2.0
// What a round does to the books: tokens become holes, survivors take other slots.
#include <algorithm>
#include <string>
#include <utility>

#include "gpu_backend/verify/books.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy::verify {

void Books::apply(const RoundStarted& event) {
  Sequence& sequence = at(event.sequence);
  if (event.round != sequence.rounds)
    throw BookFault::of("round " + std::to_string(sequence.rounds),
                        "round " + std::to_string(event.round));
  sequence.freed = sequence.taken = 0;
  sequence.moved = Bytes();
}

void Books::check(const TokensEvicted& event) const {
  const Sequence& sequence = at(event.sequence);
  if (event.round != sequence.rounds)
    throw BookFault::of("round " + std::to_string(sequence.rounds),
                        "round " + std::to_string(event.round));
  if (event.keep.size() != layout_.policy_sets())
    throw BookFault::of("a decision of " + std::to_string(layout_.policy_sets()) + " sets",
                        "one of " + std::to_string(event.keep.size()));
  for (std::uint32_t t = 0; t < sequence.tables.size(); ++t)
    for (std::uint32_t s = 0; s < sequence.tables[t].token_at.size(); ++s) {
      const auto& token_at = sequence.tables[t].token_at[s];
      const auto holes = std::count(token_at.begin(), token_at.end(), no_token);
      const std::size_t live = token_at.size() - static_cast<std::size_t>(holes);
      const std::uint32_t told = event.keep.live(layout_.policy_set(t, s));
      if (told != live)
        throw BookFault{t,
                        {},
                        {},
                        "a decision on " + std::to_string(live) + " live tokens",
                        "one on " + std::to_string(told)};
    }
}

void Books::apply(const TokensEvicted& event) {
  Sequence& sequence = at(event.sequence);
  std::uint64_t dropped = 0, vacated = 0;
  for (std::uint32_t t = 0; t < sequence.tables.size(); ++t) {
    Table& table = sequence.tables[t];
    // Sets that hold a token; where they compacted apart it stands in several slots.
    std::vector<std::uint32_t> before(sequence.rows.size()), after(sequence.rows.size());
    for (std::uint32_t s = 0; s < table.token_at.size(); ++s) {
      const std::uint32_t policy_set = layout_.policy_set(t, s);
      // A decision counts live tokens by position, wherever they stand.
      std::vector<std::pair<std::int32_t, std::uint32_t>> live;
      for (std::uint32_t slot = 0; slot < table.length; ++slot)
        if (table.token_at[s][slot] != no_token) {
          live.emplace_back(table.token_at[s][slot], slot);
          ++before[static_cast<std::size_t>(table.token_at[s][slot])];
        }
      std::sort(live.begin(), live.end());
      for (std::size_t i = 0; i < live.size(); ++i) {
        if (bits::test(event.keep.mask(policy_set), i)) {
          ++after[static_cast<std::size_t>(live[i].first)];
          continue;
        }
        table.token_at[s][live[i].second] = no_token;
        ++dropped;
      }
    }
    for (std::size_t token = 0; token < before.size(); ++token)
      vacated += before[token] > 0 && after[token] == 0;
  }
  if (dropped != event.evicted_set_tokens)
    throw BookFault{{},
                    {},
                    {},
                    std::to_string(dropped) + " tokens of all sets evicted",
                    std::to_string(event.evicted_set_tokens)};
  if (vacated != event.vacated_tokens)
    throw BookFault::of(std::to_string(vacated) + " tokens held by no set any more",
                        std::to_string(event.vacated_tokens));
  totals_.evicted_set_tokens += dropped;
  ++totals_.rounds;
  ++sequence.rounds;
}

/// All sets end at or before `length`, which lies in one of the table's blocks.
void Books::set_length(Table& table, std::uint32_t number, std::uint32_t length) {
  if (length > table.blocks.size() * block_size_)
    throw BookFault{number,
                    length,
                    {},
                    "a table that ends in one of its blocks",
                    "length " + std::to_string(length)};
  for (auto& token_at : table.token_at) {
    for (std::size_t slot = length; slot < token_at.size(); ++slot)
      if (token_at[slot] != no_token)
        throw BookFault{number,
                        static_cast<std::uint32_t>(slot),
                        {},
                        "a table that ends behind its last token",
                        "length " + std::to_string(length) + ", and token " +
                            std::to_string(token_at[slot]) + " beyond"};
    token_at.resize(length, no_token);
  }
  table.length = length;
}

void Books::check_length(std::uint32_t table, std::uint32_t counted, std::uint32_t told) {
  if (counted != told)
    throw BookFault{
        table, told, {}, "length " + std::to_string(counted), "length " + std::to_string(told)};
}

void Books::count_moved(SequenceId id, std::uint32_t table, std::uint64_t counted,
                        std::uint64_t told) {
  if (counted != told)
    throw BookFault{
        table, {}, {}, std::to_string(counted) + " survivors moved", std::to_string(told)};
  const std::uint64_t sets = std::uint64_t{block_size_} * layout_.sets_per_table();
  const Bytes bytes(2 * counted * block_bytes_.value() / sets);
  at(id).moved += bytes;
  totals_.moved_set_tokens += counted;
  totals_.bytes_moved += bytes;
}

/// Compaction begins with a block.
void Books::check_first_slot(std::uint32_t table, std::uint32_t slot) const {
  if (slot % block_size_ != 0)
    throw BookFault{table,
                    slot,
                    {},
                    "moves from the first slot of a block on",
                    "from slot " + std::to_string(slot) + " on"};
}

Books::SetMoves Books::apply(const TablePacked& event) {
  Table& table = table_of(event.sequence, event.table);
  check_first_slot(event.table, event.first_slot);
  SetMoves moves(table.token_at.size());
  std::uint64_t moved = 0;
  std::uint32_t length = event.first_slot;
  for (std::size_t s = 0; s < moves.size(); ++s) {
    auto& token_at = table.token_at[s];
    std::uint32_t target = event.first_slot;
    for (std::uint32_t slot = event.first_slot; slot < table.length; ++slot) {
      if (token_at[slot] == no_token) continue;
      if (slot != target) {
        check_written(table, event.table, target);
        token_at[target] = std::exchange(token_at[slot], no_token);
        moves[s].push_back({static_cast<std::int32_t>(slot), static_cast<std::int32_t>(target)});
        ++moved;
      }
      ++target;
    }
    length = std::max(length, target);
  }
  check_length(event.table, length, event.length);
  set_length(table, event.table, length);
  count_moved(event.sequence, event.table, moved, event.moved_set_tokens);
  return moves;
}

Books::SetMoves Books::apply(const TableCopiedOut& event) {
  Table& table = table_of(event.sequence, event.table);
  check_first_slot(event.table, event.first_slot);
  if (event.target_slot < table.length || event.target_slot % block_size_ != 0 ||
      event.target_slot > table.blocks.size() * block_size_)
    throw BookFault{event.table,
                    event.target_slot,
                    {},
                    "fresh entries behind slot " + std::to_string(table.length),
                    "others"};
  SetMoves moves(table.token_at.size());
  std::uint64_t moved = 0;
  std::uint32_t length = event.target_slot;
  for (std::size_t s = 0; s < moves.size(); ++s) {
    auto& token_at = table.token_at[s];
    token_at.resize(event.target_slot, no_token);
    for (std::uint32_t slot = event.first_slot; slot < event.target_slot; ++slot) {
      if (token_at[slot] == no_token) continue;
      const auto target = static_cast<std::uint32_t>(token_at.size());
      check_written(table, event.table, target);
      token_at.push_back(std::exchange(token_at[slot], no_token));
      moves[s].push_back({static_cast<std::int32_t>(slot), static_cast<std::int32_t>(target)});
      ++moved;
    }
    length = std::max(length, static_cast<std::uint32_t>(token_at.size()));
  }
  check_length(event.table, length, event.length);
  set_length(table, event.table, length);
  count_moved(event.sequence, event.table, moved, event.moved_set_tokens);
  return moves;
}

Books::SetMoves Books::apply(const TokensMoved& event) {
  Table& table = table_of(event.sequence, event.table);
  SetMoves moves(table.token_at.size());
  std::uint64_t moved = 0;
  if (event.moves.sets() != moves.size())
    throw BookFault{event.table,
                    {},
                    {},
                    "moves of " + std::to_string(moves.size()) + " sets",
                    std::to_string(event.moves.sets())};
  const std::uint32_t room = static_cast<std::uint32_t>(table.blocks.size()) * block_size_;
  for (std::uint32_t s = 0; s < moves.size(); ++s) {
    auto& token_at = table.token_at[s];
    for (const SlotMove& move : event.moves.of(s)) {
      if (move.source >= token_at.size() || token_at[move.source] == no_token)
        throw BookFault{event.table, move.source, {}, "a live token to move", "a hole"};
      if (move.target >= room)
        throw BookFault{event.table,
                        move.target,
                        {},
                        "a slot below " + std::to_string(room),
                        "slot " + std::to_string(move.target)};
      if (move.target < token_at.size() && token_at[move.target] != no_token)
        throw BookFault{event.table,
                        move.target,
                        {},
                        "a hole to move to",
                        "token " + std::to_string(token_at[move.target])};
      check_written(table, event.table, move.target);
      if (move.target >= token_at.size()) token_at.resize(move.target + 1, no_token);
      token_at[move.target] = std::exchange(token_at[move.source], no_token);
      moves[s].push_back(
          {static_cast<std::int32_t>(move.source), static_cast<std::int32_t>(move.target)});
      ++moved;
    }
  }
  set_length(table, event.table, event.length);
  count_moved(event.sequence, event.table, moved, event.moved_set_tokens);
  return moves;
}

}  // namespace vacancy::verify
