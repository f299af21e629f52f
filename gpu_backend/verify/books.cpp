// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/books.hpp"

#include <algorithm>
#include <utility>

namespace vacancy::verify {

namespace {

std::string text(std::uint64_t number) {
  return std::to_string(number);
}
std::string block_text(std::int64_t block) {
  return block < 0 ? "no block" : "block " + std::to_string(block);
}
std::int32_t entry_of(BlockId block) {
  return block == null_block ? no_block : static_cast<std::int32_t>(block.value());
}

}  // namespace

Books::Books(const CacheConfig& cache, CacheRules rules)
    : block_size_(cache.block_size),
      block_bytes_(cache.block_bytes),
      layout_(cache.layout),
      rules_(std::move(rules)),
      free_(cache.blocks, cache.free_order) {}

const Books::Sequence& Books::at(SequenceId sequence) const {
  const auto found = sequences_.find(sequence);
  if (found == sequences_.end())
    throw BookFault::of("a sequence in the cache", "none of that number");
  return found->second;
}

Books::Sequence& Books::at(SequenceId sequence) {
  return const_cast<Sequence&>(std::as_const(*this).at(sequence));
}

Books::Table& Books::table_of(SequenceId sequence, std::uint32_t table) {
  Sequence& owner = at(sequence);
  if (table >= owner.tables.size())
    throw BookFault{table, {}, {}, "one of " + text(owner.tables.size()) + " tables", text(table)};
  return owner.tables[table];
}

void Books::hold(std::uint32_t block) {
  if (holders_.size() <= block) holders_.resize(block + 1);
  if (holders_[block]++ == 0) {
    free_.take(block);
    ++held_;
  }
}

void Books::allocate(std::uint32_t table, BlockId id) {
  const std::uint32_t block = id.value();
  if (holders(block) > 0)
    throw BookFault{
        table, {}, block, "a free block", "one that " + text(holders(block)) + " tables hold"};
  if (!free_.exists(block))
    throw BookFault{
        table, {}, block, "one of " + text(free_.created()) + " blocks", block_text(entry_of(id))};
  if (block < free_.created() && !free_.contains(block))
    throw BookFault{table, {}, block, "a free block", "one that is not in the free list"};
  if (rules_.order_known && free_.next() != block)
    throw BookFault{table,
                    {},
                    block,
                    block_text(free_.next()) + ", the next of the free list",
                    block_text(block)};
  if (free_.cached(block))
    throw BookFault{table,
                    {},
                    block,
                    "blocks_uncached before a block is allocated anew",
                    "a block with cached contents"};
  hold(block);
  ++totals_.blocks_allocated;
}

void Books::apply(const SequenceStarted& event) {
  Sequence fresh;
  fresh.prompt_tokens = event.prompt_tokens;
  fresh.tables.resize(layout_.tables());
  for (Table& table : fresh.tables)
    table.token_at.resize(layout_.sets_per_table());
  if (!sequences_.emplace(event.sequence, std::move(fresh)).second)
    throw BookFault::of("a new sequence", "one that is in the cache");
}

void Books::apply(const BlocksAllocated& event) {
  Table& table = table_of(event.sequence, event.table);
  if (table.blocks.size() != event.first_entry)
    throw BookFault{event.table,
                    {},
                    {},
                    "blocks at entry " + text(table.blocks.size()),
                    "at entry " + text(event.first_entry)};
  for (const BlockId block : event.blocks) {
    allocate(event.table, block);
    table.blocks.push_back(entry_of(block));
  }
  at(event.sequence).taken += static_cast<std::int64_t>(event.blocks.size());
}

void Books::apply(const BlocksAdopted& event) {
  Table& table = table_of(event.sequence, event.table);
  if (!table.blocks.empty())
    throw BookFault{
        event.table, {}, {}, "a table without entries", text(table.blocks.size()) + " entries"};
  for (const BlockId block : event.blocks) {
    table.blocks.push_back(entry_of(block));
    if (block == null_block) continue;
    if (!free_.cached(block.value()))
      throw BookFault{
          event.table, {}, block.value(), "a block with cached contents", "one without"};
    hold(block.value());
  }
  at(event.sequence).adopting = true;
}

void Books::apply(const BlocksCached& event) {
  const Table& table = table_of(event.sequence, event.table);
  for (std::size_t i = 0; i < event.blocks.size(); ++i) {
    const std::size_t entry = event.first_entry + i;
    const std::int32_t block = entry_of(event.blocks[i]);
    const std::int32_t own = entry < table.blocks.size() ? table.blocks[entry] : no_block;
    if (block != own || block < 0)
      throw BookFault{event.table,
                      {},
                      event.blocks[i].value(),
                      block_text(own) + " at entry " + text(entry),
                      block_text(block)};
    free_.set_cached(event.blocks[i].value(), true);
  }
}

void Books::apply(const BlocksUncached& event) {
  for (const BlockId id : event.blocks) {
    const std::uint32_t block = id.value();
    if (!free_.cached(block))
      throw BookFault{{}, {}, block, "a block with cached contents", "one without"};
    free_.set_cached(block, false);
    const bool free_now = event.cause == UncacheCause::expiry || event.cause == UncacheCause::quota;
    if (free_now && !free_.contains(block))
      throw BookFault{{}, {}, block, "a free block", "one that a table holds"};
    if (free_now) free_.advance(block);
  }
}

void Books::apply(const CacheCleared& /*event*/) {
  if (held_ > 0) throw BookFault::of("no block held", text(held_) + " held");
  free_.clear_cached();
}

void Books::check_written(const Table& table, std::uint32_t number, std::uint32_t slot) const {
  const std::size_t entry = slot / block_size_;
  const std::int32_t block = entry < table.blocks.size() ? table.blocks[entry] : no_block;
  if (block < 0) throw BookFault{number, slot, {}, "a block to write to", "none"};
  if (const std::uint32_t all = holders(static_cast<std::uint32_t>(block)); all != 1)
    throw BookFault{number, slot, static_cast<std::uint32_t>(block),
                    "a block of this table alone, or block_copied before",
                    "a block that " + text(all) + " tables hold is written"};
}

void Books::check(const TokensAppended& event) const {
  const Sequence& sequence = at(event.sequence);
  if (event.first != sequence.tokens())
    throw BookFault{
        {}, {}, {}, "token " + text(sequence.tokens()) + " next", "token " + text(event.first)};
  for (std::uint32_t t = 0; t < sequence.tables.size(); ++t) {
    const Table& table = sequence.tables[t];
    const std::uint64_t end = std::uint64_t{table.length} + event.count;
    if (table.blocks.size() * block_size_ < end)
      throw BookFault{t,
                      static_cast<std::uint32_t>(table.blocks.size()) * block_size_,
                      {},
                      "a block for " + text(end) + " slots",
                      text(table.blocks.size()) + " entries"};
    for (std::uint32_t slot = table.length; slot < end && !sequence.adopting; ++slot)
      check_written(table, t, slot);
  }
}

void Books::apply(const TokensAppended& event, const std::vector<RowId>& rows) {
  Sequence& sequence = at(event.sequence);
  for (Table& table : sequence.tables) {
    for (auto& token_at : table.token_at)
      for (std::uint32_t i = 0; i < event.count; ++i)
        token_at.push_back(table.blocks[(table.length + i) / block_size_] == no_block
                               ? no_token
                               : static_cast<std::int32_t>(event.first + i));
    table.length += event.count;
  }
  sequence.rows.insert(sequence.rows.end(), rows.begin(), rows.end());
  if (sequence.adopting) sequence.present += event.count;
  sequence.adopting = false;
}

/// What leaves with a slot: nothing that eviction let stay, no token that a query to come sees.
void Books::check_released(const Sequence& sequence, const BlocksReleased& event,
                           std::uint32_t slot) const {
  const bool by_window = event.cause == FreeCause::window;
  const auto window =
      event.table < rules_.windows.size() ? rules_.windows[event.table] : std::nullopt;
  const Table& table = sequence.tables[event.table];
  for (const auto& token_at : table.token_at) {
    const std::int32_t token = slot < token_at.size() ? token_at[slot] : no_token;
    if (token == no_token) continue;
    if (by_window && window &&
        std::uint64_t{*window} + static_cast<std::uint32_t>(token) <= sequence.tokens())
      continue;
    throw BookFault{event.table, slot, static_cast<std::uint32_t>(table.blocks[slot / block_size_]),
                    by_window ? "a block without tokens of the window to be released"
                              : "a block without live tokens to be released",
                    "token " + std::to_string(token) + " in it"};
  }
}

void Books::apply(const BlocksReleased& event) {
  Table& table = table_of(event.sequence, event.table);
  Sequence& sequence = at(event.sequence);
  if (event.entries.size() != event.blocks.size())
    throw BookFault{
        event.table, {}, {}, text(event.entries.size()) + " blocks", text(event.blocks.size())};
  const bool leaves =
      event.cause == FreeCause::preemption || event.cause == FreeCause::sequence_end;
  std::vector<std::uint32_t> freed;
  for (std::size_t i = 0; i < event.entries.size(); ++i) {
    const std::uint32_t entry = event.entries[i];
    const std::int32_t block = entry_of(event.blocks[i]);
    if (entry >= table.blocks.size())
      throw BookFault{event.table,
                      {},
                      {},
                      "one of " + text(table.blocks.size()) + " entries",
                      "entry " + text(entry)};
    const std::int32_t own = table.blocks[entry];
    const std::uint32_t first = entry * block_size_;
    if (own != block || (i > 0 && entry <= event.entries[i - 1]))
      throw BookFault{event.table, first, event.blocks[i].value(),
                      block_text(own) + " at entry " + text(entry), block_text(block)};
    if (block < 0) continue;
    for (std::uint32_t slot = first; slot < first + block_size_ && !leaves; ++slot)
      check_released(sequence, event, slot);
    const auto id = static_cast<std::uint32_t>(block);
    if (holders(id) == 0)
      throw BookFault{event.table, first, id, "a held block to be released", "a free one"};
    if (--holders_[id] > 0) continue;
    freed.push_back(id);
    --held_;
  }
  free_.put(freed);
  if (freed.size() != event.freed)
    throw BookFault{event.table, {}, {}, text(freed.size()) + " blocks freed", text(event.freed)};
  sequence.freed += static_cast<std::int64_t>(freed.size());

  for (std::size_t i = event.entries.size(); i-- > 0;) {
    const std::uint32_t entry = event.entries[i];
    const std::uint32_t first = std::min(entry * block_size_, table.length);
    const std::uint32_t last = std::min(first + block_size_, table.length);
    if (event.shifted) {
      table.blocks.erase(table.blocks.begin() + entry);
      for (auto& token_at : table.token_at)
        token_at.erase(token_at.begin() + first, token_at.begin() + last);
      table.length -= last - first;
      continue;
    }
    table.blocks[entry] = no_block;
    for (auto& token_at : table.token_at)
      std::fill(token_at.begin() + first, token_at.begin() + last, no_token);
  }
}

void Books::apply(const BlockCopied& event) {
  Table& table = table_of(event.sequence, event.table);
  const std::int32_t own = event.entry < table.blocks.size() ? table.blocks[event.entry] : no_block;
  const std::uint32_t from = event.from.value();
  if (own != entry_of(event.from))
    throw BookFault{event.table, event.entry * block_size_, from,
                    block_text(own) + " at entry " + text(event.entry), block_text(from)};
  if (holders(from) < 2)
    throw BookFault{event.table, event.entry * block_size_, from, "a shared block to copy",
                    "one of this table alone"};
  const std::uint32_t used =
      std::min(block_size_, table.length - std::min(table.length, event.entry * block_size_));
  if (event.slots != used)
    throw BookFault{event.table, event.entry * block_size_, from, text(used) + " slots copied",
                    text(event.slots)};
  allocate(event.table, event.to);
  --holders_[from];
  table.blocks[event.entry] = entry_of(event.to);
  ++at(event.sequence).taken;
  totals_.bytes_moved += Bytes(2 * used * block_bytes_.value() / block_size_);
}

void Books::apply(const SequenceForked& event) {
  Sequence child = at(event.parent);
  for (const Table& table : child.tables)
    for (const std::int32_t block : table.blocks)
      if (block >= 0) ++holders_[static_cast<std::uint32_t>(block)];
  if (!sequences_.emplace(event.child, std::move(child)).second)
    throw BookFault::of("a new sequence", "one that is in the cache");
}

void Books::apply(const RoundFinished& event) {
  Sequence& sequence = at(event.sequence);
  if (event.round + 1 != sequence.rounds)
    throw BookFault::of("the end of round " + text(sequence.rounds - 1),
                        "of round " + text(event.round));
  const std::int64_t freed = sequence.freed - sequence.taken;
  if (freed != event.blocks_freed)
    throw BookFault::of(std::to_string(freed) + " blocks freed by the round",
                        std::to_string(event.blocks_freed));
  if (sequence.taken != static_cast<std::int64_t>(event.blocks_taken))
    throw BookFault::of(std::to_string(sequence.taken) + " blocks taken by the round",
                        text(event.blocks_taken));
  if (sequence.moved != event.bytes_moved)
    throw BookFault::of(std::to_string(sequence.moved.value()) + " bytes moved by the round",
                        std::to_string(event.bytes_moved.value()));
  totals_.blocks_freed_by_eviction += freed;
  totals_.blocks_taken += event.blocks_taken;
}

void Books::leave(SequenceId id) {
  const Sequence& sequence = at(id);
  for (std::uint32_t t = 0; t < sequence.tables.size(); ++t)
    for (const std::int32_t block : sequence.tables[t].blocks)
      if (block >= 0)
        throw BookFault{t,
                        {},
                        static_cast<std::uint32_t>(block),
                        "all blocks released before the sequence leaves",
                        "one still held"};
  sequences_.erase(id);
}

}  // namespace vacancy::verify
