// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include "sim/pool/kv_cache.hpp"

namespace vacancy::test {

/// The cache rebuilt from its event stream alone, with the plainest data structures: what a
/// recorder, a timeline or a verifier could know. Shares no code with BlockTable or BlockPool.
class ShadowCache final : public Observer {
 public:
  struct Table {
    std::vector<BlockId> entries;
    std::vector<std::vector<std::optional<std::uint32_t>>> token_at;  // [set][slot]
    std::uint32_t length = 0;
  };
  using Tables = std::vector<Table>;

  explicit ShadowCache(const CacheConfig& config) : config_(config) {}

  const std::map<SequenceId, Tables>& sequences() const { return sequences_; }

  void on_event(const Event& event) override {
    std::visit([&](const auto& e) { apply(e); }, event);
  }

  std::map<BlockId, std::uint32_t> references() const {
    std::map<BlockId, std::uint32_t> count;
    for (const auto& [id, tables] : sequences_)
      for (const Table& table : tables)
        for (const BlockId block : table.entries)
          if (block != null_block) ++count[block];
    return count;
  }

 private:
  template <class E>
  void apply(const E&) {}

  void apply(const SequenceStarted& e) {
    Table empty;
    empty.token_at.resize(config_.layout.sets_per_table());
    sequences_[e.sequence].assign(config_.layout.tables(), empty);
  }
  void apply(const BlocksAllocated& e) {
    auto& entries = sequences_.at(e.sequence).at(e.table).entries;
    if (entries.size() != e.first_entry) std::abort();
    entries.insert(entries.end(), e.blocks.begin(), e.blocks.end());
  }
  void apply(const BlocksAdopted& e) {
    auto& entries = sequences_.at(e.sequence).at(e.table).entries;
    if (!entries.empty()) std::abort();
    entries.assign(e.blocks.begin(), e.blocks.end());
  }
  void apply(const TokensAppended& e) {
    for (Table& table : sequences_.at(e.sequence)) {
      for (auto& set : table.token_at)
        for (std::uint32_t i = 0; i < e.count; ++i)
          set.push_back(table.entries.at((table.length + i) / config_.block_size) == null_block
                            ? std::nullopt
                            : std::optional(e.first + i));
      table.length += e.count;
    }
  }
  void apply(const TokensEvicted& e) {
    Tables& tables = sequences_.at(e.sequence);
    for (std::uint32_t t = 0; t < tables.size(); ++t) {
      for (std::uint32_t s = 0; s < tables[t].token_at.size(); ++s) {
        // Decisions count live tokens by position.
        std::vector<std::optional<std::uint32_t>*> live;
        for (auto& token : tables[t].token_at[s])
          if (token) live.push_back(&token);
        std::sort(live.begin(), live.end(), [](auto* a, auto* b) { return **a < **b; });
        for (std::size_t ordinal = 0; ordinal < live.size(); ++ordinal)
          if (!bits::test(e.keep.mask(config_.layout.policy_set(t, s)), ordinal))
            live[ordinal]->reset();
      }
    }
  }
  void apply(const TablePacked& e) {
    Table& table = sequences_.at(e.sequence).at(e.table);
    for (auto& set : table.token_at) {
      const auto first = set.begin() + e.first_slot;
      set.erase(std::remove(first, set.end(), std::nullopt), set.end());
      set.resize(e.length);
    }
    table.length = e.length;
  }
  void apply(const TableCopiedOut& e) {
    Table& table = sequences_.at(e.sequence).at(e.table);
    if (e.target_slot < table.length ||
        table.entries.at(e.target_slot / config_.block_size) == null_block)
      std::abort();
    for (auto& set : table.token_at) {
      set.resize(e.target_slot);
      for (std::uint32_t slot = e.first_slot; slot < e.target_slot; ++slot)
        if (set[slot]) set.push_back(std::exchange(set[slot], std::nullopt));
      set.resize(e.length);
    }
    table.length = e.length;
  }
  void apply(const TokensMoved& e) {
    Table& table = sequences_.at(e.sequence).at(e.table);
    for (std::uint32_t s = 0; s < table.token_at.size(); ++s) {
      auto& set = table.token_at[s];
      for (const SlotMove& move : e.moves.of(s)) {
        if (move.target >= set.size()) set.resize(move.target + 1);
        if (!set.at(move.source) || set[move.target]) std::abort();
        set[move.target] = std::exchange(set[move.source], std::nullopt);
      }
      for (std::size_t slot = e.length; slot < set.size(); ++slot)
        if (set[slot]) std::abort();
      set.resize(e.length);
    }
    table.length = e.length;
  }
  void apply(const BlocksReleased& e) {
    Table& table = sequences_.at(e.sequence).at(e.table);
    const std::uint32_t b = config_.block_size;
    for (std::size_t i = 0; i < e.entries.size(); ++i)
      if (table.entries.at(e.entries[i]) != e.blocks[i]) std::abort();
    for (std::size_t i = e.entries.size(); i-- > 0;) {
      const std::uint32_t entry = e.entries[i];
      if (!e.shifted) {
        table.entries[entry] = null_block;
        if (e.cause == FreeCause::window)
          for (auto& set : table.token_at)
            std::fill_n(set.begin() + entry * b, std::min(b, table.length - entry * b),
                        std::nullopt);
        continue;
      }
      table.entries.erase(table.entries.begin() + entry);
      const std::uint32_t first = std::min(entry * b, table.length);
      const std::uint32_t last = std::min(first + b, table.length);
      for (auto& set : table.token_at)
        set.erase(set.begin() + first, set.begin() + last);
      table.length -= last - first;
    }
  }
  void apply(const BlockCopied& e) {
    BlockId& entry = sequences_.at(e.sequence).at(e.table).entries.at(e.entry);
    if (entry != e.from) std::abort();
    entry = e.to;
  }
  void apply(const SequenceForked& e) { sequences_[e.child] = sequences_.at(e.parent); }
  void apply(const SequenceFinished& e) { sequences_.erase(e.sequence); }
  void apply(const SequencePreempted& e) { sequences_.erase(e.sequence); }

  CacheConfig config_;
  std::map<SequenceId, Tables> sequences_;
};

}  // namespace vacancy::test
