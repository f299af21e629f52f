// SPDX-License-Identifier: Apache-2.0
// What Verifier holds against each other: books, simulator, memory.
#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

#include "gpu_backend/verify/verifier.hpp"

namespace vacancy::verify {

namespace {

std::string token_text(std::int64_t token) {
  return token == no_token ? "a hole" : "token " + std::to_string(token);
}
std::string entry_text(std::int64_t block) {
  return block == no_block ? "no block" : "block " + std::to_string(block);
}

bool is_row_of(const KvMemory& memory, RowId id, int plane, RowKind kind,
               std::span<const std::uint16_t> row) {
  std::array<std::uint16_t, KvMemory::head_dim> wanted{};
  fill_row(id, memory.real_layer(plane), memory.real_head(plane), kind, wanted);
  return std::equal(row.begin(), row.end(), wanted.begin());
}
/// "K of token 7 in layer 0, KV head 1".
std::string row_text(const KvMemory& memory, int plane, RowKind kind, const std::string& whose) {
  return std::string(kind == RowKind::key ? "K" : "V") + whose + " in layer " +
         std::to_string(memory.real_layer(plane)) + ", KV head " +
         std::to_string(memory.real_head(plane));
}
std::string of_token(SequenceId id, std::size_t token) {
  return " of token " + std::to_string(token) + " of sequence " + std::to_string(id.value());
}

}  // namespace

void Verifier::compare_holders(BlockId block, std::optional<std::uint32_t> table) const {
  const BlockPool& pool = subject_.cache.pool();
  if (block.value() >= pool.created())
    throw BookFault{table,
                    {},
                    block.value(),
                    "one of the simulator's " + std::to_string(pool.created()) + " blocks",
                    entry_text(block.value())};
  const std::uint32_t own = books_.holders(block.value()), real = pool.references(block);
  if (own != real)
    throw BookFault{table,
                    {},
                    block.value(),
                    "a block that " + std::to_string(own) + " tables hold",
                    std::to_string(real) + " in the simulator"};
  if (pool.free_queue().contains(block) != (own == 0))
    throw BookFault{table,
                    {},
                    block.value(),
                    own == 0 ? "a block in the free list" : "a held block outside the free list",
                    own == 0 ? "it is not there" : "it is in it"};
}

void Verifier::compare_table(SequenceId id, std::uint32_t number) {
  const Books::Table& own = books_.at(id).tables[number];
  const BlockTable& real = simulated(id).tables[number];
  const auto entry_at = [&](std::size_t entry) {
    if (entry >= real.entries().size() || real.entries()[entry] == null_block)
      return std::int64_t{no_block};
    return std::int64_t{real.entries()[entry].value()};
  };
  const std::size_t entries = std::max(own.blocks.size(), real.entries().size());
  const std::uint32_t b = books_.block_size();
  for (std::size_t entry = 0; entry < entries; ++entry) {
    const std::int64_t block = entry < own.blocks.size() ? own.blocks[entry] : no_block;
    if (block != entry_at(entry))
      throw BookFault{number,
                      static_cast<std::uint32_t>(entry) * b,
                      {},
                      entry_text(block) + " at entry " + std::to_string(entry) + " by the events, ",
                      entry_text(entry_at(entry)) + " in the simulator"};
  }
  if (own.length != real.length())
    throw BookFault{number,
                    own.length,
                    {},
                    "length " + std::to_string(own.length) + " by the events",
                    std::to_string(real.length()) + " in the simulator"};
  std::vector<std::int32_t> tokens;
  for (std::uint32_t set = 0; set < own.token_at.size(); ++set) {
    tokens.assign(own.length, no_token);
    real.for_each_live(set, 0, own.length, [&](std::uint32_t slot, std::uint32_t token) {
      tokens[slot] = static_cast<std::int32_t>(token);
    });
    for (std::uint32_t slot = 0; slot < own.length; ++slot)
      if (tokens[slot] != own.token_at[set][slot])
        throw BookFault{number, slot,
                        own.blocks[slot / b] < 0 ? std::optional<std::uint32_t>()
                                                 : static_cast<std::uint32_t>(own.blocks[slot / b]),
                        token_text(own.token_at[set][slot]) + " by the events",
                        token_text(tokens[slot]) + " in the simulator, set " + std::to_string(set)};
  }
  ++counts_.tables;
}

void Verifier::compare_tables(SequenceId id) {
  const auto tables = static_cast<std::uint32_t>(books_.at(id).tables.size());
  for (std::uint32_t t = 0; t < tables; ++t)
    compare_table(id, t);
}

void Verifier::compare_rows(SequenceId id, const std::vector<std::uint32_t>& firsts,
                            std::uint32_t count) {
  const Books::Sequence& sequence = books_.at(id);
  if (!sequence.watched) return;
  constexpr std::uint32_t at_once = 1024;  // rows on the host at a time
  const auto table_of = [&](int plane) -> const Books::Table& {
    return sequence.tables[memory_.tables()[static_cast<std::size_t>(memory_.table_of(plane))]];
  };
  for (std::uint32_t begin = 0; begin < count; begin += at_once) {
    const std::uint32_t here = std::min(at_once, count - begin);
    Mapping mapping;
    for (std::uint32_t i = 0; i < here; ++i)
      for (std::size_t t = 0; t < firsts.size(); ++t)
        mapping.push_back(place(sequence.tables[memory_.tables()[t]], firsts[t] + begin + i));
    const std::vector<std::uint16_t> rows = memory_.read(mapping);
    for (int plane = 0; plane < memory_.planes(); ++plane) {
      const Books::Table& table = table_of(plane);
      const auto& tokens = table.token_at[memory_.set_of(plane)];
      for (std::uint32_t i = 0; i < here; ++i) {
        const std::uint32_t slot =
            firsts[static_cast<std::size_t>(memory_.table_of(plane))] + begin + i;
        const std::int32_t token = slot < tokens.size() ? tokens[slot] : no_token;
        if (token == no_token) continue;
        for (const RowKind kind : {RowKind::key, RowKind::value}) {
          const auto row = memory_.row(rows, i, plane, kind);
          const auto number = static_cast<std::size_t>(token);
          if (is_row_of(memory_, sequence.rows[number], plane, kind, row)) continue;
          const std::int32_t block = table.blocks[slot / books_.block_size()];
          throw BookFault{memory_.tables()[static_cast<std::size_t>(memory_.table_of(plane))], slot,
                          static_cast<std::uint32_t>(block),
                          row_text(memory_, plane, kind, of_token(id, number)), whose(row)};
        }
        ++counts_.rows;
      }
    }
  }
}

void Verifier::compare_all_rows(SequenceId id) {
  const Books::Sequence& sequence = books_.at(id);
  std::uint32_t longest = 0;
  for (const std::uint32_t number : memory_.tables())
    longest = std::max(longest, sequence.tables[number].length);
  compare_rows(id, std::vector<std::uint32_t>(memory_.tables().size()), longest);
}

/// Looks for the token whose row this is: slow, and done once.
std::string Verifier::whose(std::span<const std::uint16_t> row) const {
  if (std::all_of(row.begin(), row.end(), [](std::uint16_t x) { return x == 0xFFFF; }))
    return "memory that nobody wrote";
  for (const auto& [id, sequence] : books_.sequences())
    for (std::size_t token = 0; token < sequence.rows.size(); ++token)
      for (int plane = 0; plane < memory_.planes(); ++plane)
        for (const RowKind kind : {RowKind::key, RowKind::value})
          if (is_row_of(memory_, sequence.rows[token], plane, kind, row))
            return row_text(memory_, plane, kind, of_token(id, token));
  return "a row of no token in the cache";
}

void Verifier::compare_host(std::span<const std::uint32_t> host_blocks) {
  const std::uint32_t b = books_.block_size();
  for (const std::uint32_t number : host_blocks) {
    const Books::HostBlock& copy = books_.host().at(number);
    if (!copy.watched) continue;
    Mapping mapping;
    for (std::uint32_t slot = 0; slot < copy.rows.size(); ++slot)
      mapping.push_back(std::int64_t{number} * b + slot);
    const std::vector<std::uint16_t> rows = memory_.read(mapping, KvMemory::Tier::host);
    for (std::uint32_t slot = 0; slot < copy.rows.size(); ++slot)
      for (int plane = 0; plane < memory_.planes(); ++plane)
        for (const RowKind kind : {RowKind::key, RowKind::value}) {
          const auto row = memory_.row(rows, slot, plane, kind);
          if (is_row_of(memory_, copy.rows[slot], plane, kind, row)) continue;
          throw BookFault{{},
                          slot,
                          {},
                          "what was copied there in block " + std::to_string(number) +
                              " on the host, " + row_text(memory_, plane, kind, ""),
                          whose(row)};
        }
    counts_.rows += copy.rows.size() * static_cast<std::uint64_t>(memory_.planes());
  }
}

void Verifier::compare_everything() {
  // A row in memory takes longer to look at than a slot of a table.
  constexpr std::uint64_t row_cost = 8;
  cost_ = 0;
  for (const auto& [id, sequence] : books_.sequences()) {
    try {
      compare_tables(id);
      compare_all_rows(id);
    } catch (BookFault& fault) {
      fault.sequence = id;
      throw;
    }
    for (const Books::Table& table : sequence.tables)
      cost_ += table.length * table.token_at.size();
    if (sequence.watched)
      cost_ += row_cost * static_cast<std::uint64_t>(memory_.planes()) * sequence.tables[0].length;
  }
  std::vector<std::uint32_t> host_blocks;
  for (const auto& [block, copy] : books_.host())
    if (copy.watched) host_blocks.push_back(block);
  compare_host(host_blocks);
  cost_ += row_cost * static_cast<std::uint64_t>(memory_.planes()) * host_blocks.size() *
           books_.block_size();
  ++counts_.whole_checks;
  if (books_.sequences().size() != subject_.cache.sequences().size())
    throw BookFault::of(std::to_string(books_.sequences().size()) + " sequences in the cache",
                        std::to_string(subject_.cache.sequences().size()) + " in the simulator");
  const BlockPool& pool = subject_.cache.pool();
  cost_ += pool.created();
  for (std::uint32_t block = 0; block < pool.created(); ++block) {
    compare_holders(BlockId(block), std::nullopt);
    if (pool.cached(BlockId(block)) != books_.free_list().cached(block))
      throw BookFault{{},
                      {},
                      block,
                      books_.free_list().cached(block) ? "cached contents" : "no cached contents",
                      "the opposite in the simulator"};
  }
  if (pool.held() != books_.held())
    throw BookFault::of(std::to_string(books_.held()) + " blocks held",
                        std::to_string(pool.held()) + " in the simulator");
  if (!books_.follows_order()) return;
  auto own = books_.free_list().blocks().begin();
  pool.free_queue().for_each([&](BlockId block) {
    if (own == books_.free_list().blocks().end() || *own != block.value())
      throw BookFault{{},
                      {},
                      block.value(),
                      "another order of the free list",
                      "block " + std::to_string(block.value()) + " in the simulator's"};
    ++own;
  });
}

/// Small caches after every change, large ones as often as keeps the cost of checking proportional
/// to the number of changes.
void Verifier::compare_when_due() {
  constexpr std::uint64_t slots_per_change = 64;
  credit_ += slots_per_change;
  if (credit_ < cost_ || admission_) return;
  credit_ = 0;
  compare_everything();
}

void Verifier::compare_summary(const Summary& summary) const {
  const Books::Totals& totals = books_.totals();
  const Summary::Reclaim& reclaim = summary.reclaim;
  const auto compare = [](const char* key, auto counted, auto told) {
    if (counted == told) return;
    throw BookFault::of(std::string(key) + ' ' + std::to_string(counted),
                        std::to_string(told) + " in the summary");
  };
  compare("reclaim.rounds", totals.rounds, reclaim.rounds);
  compare("reclaim.evicted_set_tokens", totals.evicted_set_tokens, reclaim.evicted_set_tokens);
  compare("reclaim.moved_set_tokens", totals.moved_set_tokens, reclaim.moved_set_tokens);
  compare("reclaim.blocks_freed_by_eviction", totals.blocks_freed_by_eviction,
          reclaim.blocks_freed_by_eviction);
  compare("reclaim.blocks_taken", totals.blocks_taken, reclaim.blocks_taken);
  compare("reclaim.bytes_moved", totals.bytes_moved.value(),
          (reclaim.bytes_moved() - reclaim.moved_between_tiers).value());
  compare("serving.blocks_allocated", totals.blocks_allocated, summary.serving.blocks_allocated);
  compare("serving.swapped_out_blocks", totals.swapped_out_blocks,
          summary.serving.swapped_out_blocks);
  compare("serving.swapped_in_blocks", totals.swapped_in_blocks, summary.serving.swapped_in_blocks);
  compare("serving.host_blocks_written", totals.host_blocks_written,
          summary.serving.host_blocks_written);
  compare("serving.host_blocks_evicted", totals.host_blocks_evicted,
          summary.serving.host_blocks_evicted);
  compare("serving.hit_tokens_host", totals.host_blocks_loaded * books_.block_size(),
          summary.serving.hit_tokens_host);
  compare("memory.held_slots.end", std::uint64_t{books_.held()} * books_.block_size(),
          summary.memory.held_slots.end);
}

}  // namespace vacancy::verify
