// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/verify_faults.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <set>

namespace vacancy::test {

namespace {

using verify::MemoryWork;
using Spoil = std::function<bool(const Event&, Observer&)>;

/// Changes a copy of the first event of its type for which `change` returns true.
template <class E>
Spoil changed(std::function<bool(E&)> change) {
  return [change](const Event& event, Observer& verifier) {
    const E* const found = std::get_if<E>(&event);
    if (found == nullptr) return false;
    E copy = *found;
    if (!change(copy)) return false;
    verifier.on_event(copy);
    return true;
  };
}
/// Leaves out the first event of its type for which `chosen` returns true.
template <class E>
Spoil left_out(std::function<bool(const E&)> chosen) {
  return [chosen](const Event& event, Observer&) {
    const E* const found = std::get_if<E>(&event);
    return found != nullptr && chosen(*found);
  };
}
template <class E>
bool any(const E&) {
  return true;
}

/// A decision with bit `bit` of its first set flipped; `counted`: the counts agree with it.
Spoil flipped_bit(bool kept, bool counted) {
  return [kept, counted](const Event& event, Observer& verifier) {
    const auto* const found = std::get_if<TokensEvicted>(&event);
    if (found == nullptr) return false;
    KeepSets keep = found->keep;
    std::uint32_t bit = 0;
    while (bits::test(keep.mask(0), bit) != kept)
      ++bit;
    keep.mask(0)[bit / 64] ^= std::uint64_t{1} << (bit % 64);
    const std::uint64_t change = counted ? 1 : 0;
    verifier.on_event(TokensEvicted{
        found->sequence, found->round, keep,
        kept ? found->evicted_set_tokens + change : found->evicted_set_tokens - change,
        found->sets_per_table,
        kept ? found->vacated_tokens + change : found->vacated_tokens - change});
    return true;
  };
}

/// One kept and one evicted token change places.
bool exchange_survivors(const Event& event, Observer& verifier) {
  const auto* const found = std::get_if<TokensEvicted>(&event);
  if (found == nullptr) return false;
  KeepSets keep = found->keep;
  for (const bool kept : {true, false}) {
    std::uint32_t bit = 0;
    while (bits::test(found->keep.mask(0), bit) != kept)
      ++bit;
    keep.mask(0)[bit / 64] ^= std::uint64_t{1} << (bit % 64);
  }
  verifier.on_event(TokensEvicted{found->sequence, found->round, keep, found->evicted_set_tokens,
                                  found->sets_per_table, found->vacated_tokens});
  return true;
}

/// The blocks of an event, changed.
template <class E>
Spoil other_blocks(std::function<bool(const E&, std::vector<BlockId>&)> change) {
  return [change](const Event& event, Observer& verifier) {
    const E* const found = std::get_if<E>(&event);
    if (found == nullptr) return false;
    std::vector<BlockId> blocks(found->blocks.begin(), found->blocks.end());
    if (!change(*found, blocks)) return false;
    E copy = *found;
    copy.blocks = blocks;
    verifier.on_event(copy);
    return true;
  };
}

/// The first move of the first set, changed.
Spoil other_move(std::function<void(SlotMove&)> change) {
  return [change](const Event& event, Observer& verifier) {
    const auto* const found = std::get_if<TokensMoved>(&event);
    if (found == nullptr || found->moves.of(0).size() < 2) return false;
    TableMoves moves;
    moves.first_slot = found->moves.first_slot;
    for (std::uint32_t set = 0; set < found->moves.sets(); ++set) {
      bool first = set == 0;
      for (SlotMove move : found->moves.of(set)) {
        if (first) change(move);
        first = false;
        moves.add(move);
      }
      moves.end_set();
    }
    verifier.on_event(
        TokensMoved{found->sequence, found->table, moves, found->length, found->moved_set_tokens});
    return true;
  };
}

/// Blocks that come from the host, their copies there changed.
Spoil other_copies(std::function<void(std::vector<std::uint32_t>&)> change) {
  return changed<HostBlocksLoaded>(
      [change, copies = std::vector<std::uint32_t>()](HostBlocksLoaded& e) mutable {
        if (e.blocks < 2) return false;
        copies.assign(e.host_blocks.begin(), e.host_blocks.end());
        change(copies);
        e.host_blocks = copies;
        return true;
      });
}

/// Survivors of a sequence with another's prefix close ranks in its blocks, where they were copied
/// to fresh ones.
Spoil packed_where_shared() {
  return [adopters = std::set<SequenceId>()](const Event& event, Observer& verifier) mutable {
    const auto* const adopted = std::get_if<BlocksAdopted>(&event);
    if (adopted != nullptr && !adopted->blocks.empty()) adopters.insert(adopted->sequence);
    const auto* const found = std::get_if<TableCopiedOut>(&event);
    if (found == nullptr || adopters.count(found->sequence) == 0) return false;
    verifier.on_event(TablePacked{found->sequence, found->table, found->first_slot,
                                  found->first_slot + (found->length - found->target_slot),
                                  found->moved_set_tokens});
    return true;
  };
}

bool by_eviction(const BlocksReleased& event) {
  return event.cause == FreeCause::eviction && !event.blocks.empty();
}

/// Work of a kind, with moves enough in the first plane.
std::function<bool(MemoryWork&)> spoilt(MemoryWork::Kind kind,
                                        std::function<void(MemoryWork&)> change) {
  return [kind, change](MemoryWork& work) {
    if (work.kind != kind) return false;
    if (!work.moves.empty() && work.moves[0].size() < 3) return false;
    if (kind == MemoryWork::Kind::from_host && work.blocks.size() < 2) return false;
    change(work);
    return true;
  };
}

constexpr std::size_t dim = verify::KvMemory::head_dim;

}  // namespace

std::vector<PlantedFault> stream_faults() {
  std::vector<PlantedFault> faults;
  const auto add = [&](const char* name, const char* scenario, const char* operation, Spoil spoil) {
    faults.push_back({name, scenario, operation, std::move(spoil), {}});
  };
  add("a survivor is lost", "slide", "tokens_evicted", flipped_bit(true, false));
  add("a survivor is lost, and counted as evicted", "slide", "tokens_evicted",
      flipped_bit(true, true));
  add("an evicted token stays, and is not counted", "slide", "tokens_evicted",
      flipped_bit(false, true));
  add("another token survives", "slide", "tokens_evicted", exchange_survivors);
  add("a block joins the table unheard", "slide", "tokens_appended",
      left_out<BlocksAllocated>([](const BlocksAllocated& e) { return e.first_entry > 1; }));
  add("a table begins again", "slide", "blocks_allocated",
      changed<BlocksAllocated>([](BlocksAllocated& e) {
        if (e.first_entry == 0) return false;
        e.first_entry = 0;
        return true;
      }));
  add("a block is handed out twice", "slide", "blocks_allocated",
      other_blocks<BlocksAllocated>([](const BlocksAllocated& e, std::vector<BlockId>& blocks) {
        if (e.first_entry == 0) return false;
        blocks.back() = BlockId(0);
        return true;
      }));
  add("blocks are taken out of order", "slide", "blocks_allocated",
      other_blocks<BlocksAllocated>([](const BlocksAllocated&, std::vector<BlockId>& blocks) {
        if (blocks.size() < 2) return false;
        std::swap(blocks[0], blocks[1]);
        return true;
      }));
  add("a block is handed out that the pool has not", "slide", "blocks_allocated",
      other_blocks<BlocksAllocated>([](const BlocksAllocated&, std::vector<BlockId>& blocks) {
        blocks.back() = BlockId(64);  // the last one has number 63
        return true;
      }));
  add("a table is packed that the sequence has not", "slide", "table_packed",
      changed<TablePacked>([](TablePacked& e) { return ++e.table > 0; }));
  add("a sequence is evicted from that nobody knows", "slide", "tokens_evicted",
      [](const Event& event, Observer& verifier) {
        const auto* const found = std::get_if<TokensEvicted>(&event);
        if (found == nullptr) return false;
        verifier.on_event(TokensEvicted{SequenceId(99), found->round, found->keep,
                                        found->evicted_set_tokens, found->sets_per_table,
                                        found->vacated_tokens});
        return true;
      });
  add("a block is taken by a round, and not counted", "copy_out", "round_finished",
      changed<RoundFinished>([](RoundFinished& e) { return e.blocks_taken-- > 0; }));
  add("blocks are not freed", "slide", "round_finished", left_out<BlocksReleased>(by_eviction));
  add("blocks do not leave the window", "windows", "blocks_allocated",
      left_out<BlocksReleased>(
          [](const BlocksReleased& e) { return e.cause == FreeCause::window; }));
  add("a freed block is counted twice", "slide", "blocks_released",
      changed<BlocksReleased>([](BlocksReleased& e) {
        ++e.freed;
        return by_eviction(e);
      }));
  add("another block is freed", "slide", "blocks_released",
      other_blocks<BlocksReleased>([](const BlocksReleased& e, std::vector<BlockId>& blocks) {
        blocks[0] = BlockId(blocks[0].value() + 1);
        return by_eviction(e);
      }));
  add("blocks are freed twice", "slide", "blocks_released",
      [](const Event& event, Observer& verifier) {
        const auto* const found = std::get_if<BlocksReleased>(&event);
        if (found == nullptr || !by_eviction(*found)) return false;
        verifier.on_event(event);
        verifier.on_event(event);
        return true;
      });
  add("a sequence leaves with its blocks", "slide", "sequence_finished",
      left_out<BlocksReleased>(
          [](const BlocksReleased& e) { return e.cause == FreeCause::sequence_end; }));
  add("a table ends one slot late", "slide", "table_packed",
      changed<TablePacked>([](TablePacked& e) { return ++e.length > 0; }));
  add("a table ends one slot early", "slide", "table_packed",
      changed<TablePacked>([](TablePacked& e) { return --e.length > 0; }));
  add("a survivor moves uncounted", "slide", "table_packed",
      changed<TablePacked>([](TablePacked& e) { return e.moved_set_tokens-- > 0; }));
  add("packing begins a block late", "slide", "table_packed",
      changed<TablePacked>([](TablePacked& e) {
        e.first_slot += 16;
        return true;
      }));
  add("survivors are not packed", "slide", "blocks_released",
      left_out<TablePacked>(any<TablePacked>));
  add("survivors are not copied out", "copy_out", "blocks_released",
      left_out<TableCopiedOut>(any<TableCopiedOut>));
  add("survivors are copied out a block too far", "copy_out", "table_copied_out",
      changed<TableCopiedOut>([](TableCopiedOut& e) {
        e.target_slot += 16;
        return true;
      }));
  add("survivors are moved in shared blocks", "copy_out", "table_packed", packed_where_shared());
  add("a hole is taken for live", "fill_holes", "tokens_moved",
      other_move([](SlotMove& move) { move.source = move.target; }));
  add("a survivor moves onto another", "fill_holes", "tokens_moved",
      other_move([](SlotMove& move) { move.target = move.source; }));
  add("a table ends before its last survivor", "fill_holes", "tokens_moved",
      changed<TokensMoved>([](TokensMoved& e) { return --e.length > 0; }));
  add("moves are not told", "fill_holes", "blocks_released",
      left_out<TokensMoved>(any<TokensMoved>));
  add("a token has the next one's position", "slide", "tokens_appended",
      changed<TokensAppended>([](TokensAppended& e) { return e.first++ > 0; }));
  add("a token is told twice", "slide", "tokens_appended",
      changed<TokensAppended>([](TokensAppended& e) { return ++e.count > 0; }));
  add("a token is not told", "slide", "tokens_appended",
      left_out<TokensAppended>([](const TokensAppended& e) { return e.first > 40; }));
  add("copy-on-write is left out", "beams", "tokens_appended",
      left_out<BlockCopied>(any<BlockCopied>));
  add("another block is copied", "beams", "block_copied", changed<BlockCopied>([](BlockCopied& e) {
        e.from = BlockId(e.from.value() + 1);
        return true;
      }));
  add("a slot is not copied", "beams", "block_copied",
      changed<BlockCopied>([](BlockCopied& e) { return --e.slots > 0; }));
  add("a block's contents are not forgotten", "prefixes", "blocks_allocated",
      left_out<BlocksUncached>(any<BlocksUncached>));
  add("another prefix is adopted", "prefixes", "blocks_adopted",
      other_blocks<BlocksAdopted>([](const BlocksAdopted&, std::vector<BlockId>& blocks) {
        std::swap(blocks.front(), blocks.back());
        blocks.front() = BlockId(blocks.front().value() ^ 1);
        return true;
      }));
  add("contents come from the host in another order", "host", "host_blocks_loaded",
      other_copies([](std::vector<std::uint32_t>& copies) { std::swap(copies[0], copies[1]); }));
  add("contents come from a block of the host that has none", "host", "host_blocks_loaded",
      other_copies([](std::vector<std::uint32_t>& copies) { copies[0] += 1000; }));
  add("what comes from the host is not told", "host", "request_admitted",
      left_out<HostBlocksLoaded>(any<HostBlocksLoaded>));
  add("what goes to the host is not told", "host", "host_blocks_loaded",
      left_out<HostBlocksStored>([](const HostBlocksStored& e) {
        constexpr std::uint32_t loaded = 6;  // the first block of the host that is loaded
        return std::find(e.host_blocks.begin(), e.host_blocks.end(), loaded) != e.host_blocks.end();
      }));
  add("a block goes to the host before it is full", "host", "host_blocks_stored",
      changed<HostBlocksStored>(
          [entries = std::vector<std::uint32_t>()](HostBlocksStored& e) mutable {
            entries.assign(e.entries.begin(), e.entries.end());
            ++entries.back();
            e.entries = entries;
            return true;
          }));
  add("a copy on the host is written over, and not counted", "host", "host_blocks_stored",
      changed<HostBlocksStored>([](HostBlocksStored& e) { return e.evicted-- > 0; }));
  add("a block too few is swapped out", "swap", "sequence_swapped_out",
      changed<SequenceSwappedOut>([](SequenceSwappedOut& e) { return e.blocks-- > 0; }));
  add("tokens are swapped out that were not computed", "swap", "sequence_swapped_out",
      changed<SequenceSwappedOut>([](SequenceSwappedOut& e) { return (e.tokens += 100) > 0; }));
  add("a token too few is swapped out", "swap", "request_admitted",
      changed<SequenceSwappedOut>([](SequenceSwappedOut& e) { return --e.tokens % 16 != 0; }));
  add("swapping out is not told", "swap", "sequence_swapped_in",
      left_out<SequenceSwappedOut>(any<SequenceSwappedOut>));
  add("another request is swapped in", "swap", "sequence_swapped_in",
      changed<SequenceSwappedIn>([](SequenceSwappedIn& e) {
        e.sequence = SequenceId(e.sequence.value() ^ 1);
        return true;
      }));
  add("a block too many is swapped in", "swap", "sequence_swapped_in",
      changed<SequenceSwappedIn>([](SequenceSwappedIn& e) { return ++e.blocks > 0; }));
  add("swapping in is not told", "swap", "request_admitted",
      left_out<SequenceSwappedIn>(any<SequenceSwappedIn>));
  add("an admission is not told", "host", "sequence_started",
      left_out<RequestAdmitted>(any<RequestAdmitted>));
  return faults;
}

std::vector<PlantedFault> memory_faults() {
  using Kind = MemoryWork::Kind;
  std::vector<PlantedFault> faults;
  const auto add = [&](const char* name, const char* scenario, const char* operation, Kind kind,
                       std::function<void(MemoryWork&)> change) {
    faults.push_back({name, scenario, operation, {}, spoilt(kind, std::move(change))});
  };
  add("a survivor is not carried", "slide", "table_packed", Kind::pack,
      [](MemoryWork& w) { w.moves[0].erase(w.moves[0].begin() + 1); });
  add("the last survivor is not carried", "slide", "table_packed", Kind::pack,
      [](MemoryWork& w) { w.moves[0].pop_back(); });
  add("survivors change their order", "slide", "table_packed", Kind::pack,
      [](MemoryWork& w) { std::swap(w.moves[0][0].source, w.moves[0][1].source); });
  add("a row is moved before it is read", "slide", "table_packed", Kind::pack, [](MemoryWork& w) {
    for (auto& read : w.moves[0])
      for (const auto& written : w.moves[0])
        if (written.target == read.source) {
          read.source = written.source;
          return;
        }
    w.moves[0].pop_back();  // no such pair here
  });
  add("one head is left behind", "slide", "table_packed", Kind::pack,
      [](MemoryWork& w) { w.moves[1].clear(); });
  add("a stale table is followed", "slide", "table_packed", Kind::pack,
      [](MemoryWork& w) { std::swap(w.tables[0].front(), w.tables[0].back()); });
  add("a row that stays is written", "slide", "table_packed", Kind::pack, [](MemoryWork& w) {
    const auto from = w.moves[0].back().source;
    w.moves[0].assign(1, {from, 0});
  });
  add("fresh blocks change places", "copy_out", "table_copied_out", Kind::copy_out,
      [](MemoryWork& w) { std::swap(w.fresh[0].front(), w.fresh[0].back()); });
  add("survivors land one slot late", "copy_out", "table_copied_out", Kind::copy_out,
      [](MemoryWork& w) {
        w.moves[0].pop_back();
        for (auto& move : w.moves[0])
          ++move.target;
      });
  add("survivors land in shared blocks, too", "copy_out", "table_packed", Kind::copy_out,
      [](MemoryWork& w) {
        const auto slots = static_cast<std::int32_t>(w.fresh[0].size()) * 16;
        w.fresh[0].push_back(w.tables[0].front());
        w.moves[0].push_back({w.moves[0].back().source, slots});
      });
  add("a hole beside the right one is filled", "fill_holes", "tokens_moved", Kind::move,
      [](MemoryWork& w) { w.moves[0][0].target ^= 1; });
  add("a hole is moved", "fill_holes", "tokens_moved", Kind::move,
      [](MemoryWork& w) { w.moves[0][0].source = w.moves[0][1].target; });
  add("heads are exchanged", "slide", "tokens_appended", Kind::append, [](MemoryWork& w) {
    std::swap_ranges(w.rows.begin(), w.rows.begin() + dim, w.rows.begin() + dim);
  });
  add("keys and values are exchanged", "slide", "tokens_appended", Kind::append, [](MemoryWork& w) {
    std::swap_ranges(w.rows.begin(), w.rows.begin() + 2 * dim, w.rows.begin() + 2 * dim);
  });
  add("a token is written one slot late", "slide", "tokens_appended", Kind::append,
      [](MemoryWork& w) { ++w.slot_mapping.back(); });
  add("a token is not written", "slide", "tokens_appended", Kind::append,
      [](MemoryWork& w) { w.slot_mapping.back() = -1; });
  add("one bit is wrong", "slide", "tokens_appended", Kind::append,
      [](MemoryWork& w) { w.rows.back() = static_cast<std::uint16_t>(w.rows.back() ^ 1); });
  add("another block is copied", "beams", "block_copied", Kind::copy_block,
      [](MemoryWork& w) { w.blocks[0].from ^= 1; });
  add("a block is copied elsewhere", "beams", "block_copied", Kind::copy_block,
      [](MemoryWork& w) { ++w.blocks[0].to; });
  add("the last slot is not copied", "beams", "block_copied", Kind::copy_block,
      [](MemoryWork& w) { --w.blocks[0].slots; });
  // What goes to the host while a request is admitted goes there once its tokens are written.
  for (const auto& [scenario, out, in] :
       {std::array{"host", "request_admitted", "host_blocks_loaded"},
        std::array{"swap", "sequence_swapped_out", "sequence_swapped_in"}}) {
    add("another block goes to the host", scenario, out, Kind::to_host,
        [](MemoryWork& w) { w.blocks[0].from = w.blocks[1].from; });
    add("a block goes to the host before it is written", scenario, out, Kind::to_host,
        [](MemoryWork& w) { w.blocks[0].from += 1000; });
    add("the last slot does not go to the host", scenario, out, Kind::to_host,
        [](MemoryWork& w) { --w.blocks[0].slots; });
    add("a block does not go to the host", scenario, out, Kind::to_host,
        [](MemoryWork& w) { w.blocks.pop_back(); });
    add("a block comes from another one of the host", scenario, in, Kind::from_host,
        [](MemoryWork& w) { w.blocks[0].from = w.blocks[1].from; });
    add("a block comes into another one", scenario, in, Kind::from_host,
        [](MemoryWork& w) { std::swap(w.blocks[0].to, w.blocks[1].to); });
    add("a block does not come from the host", scenario, in, Kind::from_host,
        [](MemoryWork& w) { w.blocks.pop_back(); });
  }
  faults.push_back({"a copy on the host is lost", "host", "clock_advanced", {}, [](MemoryWork& w) {
                      if (w.kind != Kind::to_host || w.blocks[0].to == 0) return false;
                      w.blocks.push_back({w.blocks[0].from, 0, w.blocks[0].slots});
                      return true;
                    }});
  return faults;
}

}  // namespace vacancy::test
