// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "sim/serving/request.hpp"
#include "tests/support/shadow_cache.hpp"

namespace vacancy::test {

/// The keys and values of one token: the same for two requests exactly if they agree up to it.
struct KvDatum {
  std::uint32_t tenant = 0;
  std::uint64_t key = 0;
  std::uint32_t own = 0;  // 1: the key is the request, not the trace's
  std::uint32_t position = 0;
  auto operator<=>(const KvDatum&) const = default;
};

inline KvDatum kv_datum(const Request& request, std::uint32_t position) {
  const RequestContents& contents = request.contents;
  if (position >= contents.keyed_tokens) return {contents.tenant, request.id.value(), 1, position};
  return {contents.tenant, contents.keys[position / contents.tokens_per_key], 0, position};
}

/// Device memory as the event stream writes and moves it: what really stands in each slot of each
/// physical block, for each keep set. A request that reads its live tokens through its tables must
/// find its own keys and values there, whatever eviction, compaction and sharing did.
class KvMemory final : public Observer {
 public:
  explicit KvMemory(const CacheConfig& config) : config_(config), shadow_(config) {}

  /// Before the request's first event. Contents may change afterwards behind the tokens it has.
  void know(const Request& request) { requests_[request.id] = request; }
  void know(const std::vector<Request>& requests) {
    for (const Request& request : requests)
      know(request);
  }

  void on_event(const Event& event) override {
    std::visit([&](const auto& e) { before(e); }, event);
    shadow_.on_event(event);
    std::visit([&](const auto& e) { after(e); }, event);
  }

  const ShadowCache& shadow() const { return shadow_; }
  /// The first live token whose keys and values are not its own; nothing if all is well.
  std::optional<std::string> fault() const {
    for (const auto& [id, tables] : shadow_.sequences())
      for (std::uint32_t t = 0; t < tables.size(); ++t)
        if (auto found = fault(id, t, tables[t])) return found;
    return std::nullopt;
  }

 private:
  using Slots = std::vector<std::vector<KvDatum>>;  // [set][offset]

  std::optional<std::string> fault(SequenceId id, std::uint32_t t,
                                   const ShadowCache::Table& table) const {
    const std::uint32_t b = config_.block_size;
    for (std::uint32_t set = 0; set < table.token_at.size(); ++set)
      for (std::uint32_t slot = 0; slot < table.length; ++slot) {
        const auto token = table.token_at[set][slot];
        if (!token) continue;
        const auto block = blocks_.find(table.entries[slot / b]);
        if (block != blocks_.end() &&
            block->second[set][slot % b] == kv_datum(requests_.at(id), *token))
          continue;
        std::ostringstream text;
        text << "request " << id.value() << ", table " << t << ", set " << set << ", slot " << slot
             << ": block " << table.entries[slot / b].value() << " does not hold token " << *token;
        return text.str();
      }
    return std::nullopt;
  }

  Slots& slots(BlockId block) {
    Slots& slots = blocks_[block];
    if (slots.empty())
      slots.assign(config_.layout.sets_per_table(), std::vector<KvDatum>(config_.block_size));
    return slots;
  }

  template <class E>
  void before(const E&) {}
  template <class E>
  void after(const E&) {}

  // Forward copy, as C4 of spec engines describes it.
  void before(const TablePacked& e) {
    const ShadowCache::Table& table = shadow_.sequences().at(e.sequence).at(e.table);
    const std::uint32_t b = config_.block_size;
    for (std::uint32_t set = 0; set < table.token_at.size(); ++set) {
      std::uint32_t to = e.first_slot;
      for (std::uint32_t from = e.first_slot; from < table.length; ++from) {
        if (!table.token_at[set][from]) continue;
        slots(table.entries[to / b])[set][to % b] = slots(table.entries[from / b])[set][from % b];
        ++to;
      }
    }
  }
  void before(const TableCopiedOut& e) {
    const ShadowCache::Table& table = shadow_.sequences().at(e.sequence).at(e.table);
    const std::uint32_t b = config_.block_size;
    for (std::uint32_t set = 0; set < table.token_at.size(); ++set) {
      std::uint32_t to = e.target_slot;
      for (std::uint32_t from = e.first_slot; from < table.length; ++from) {
        if (!table.token_at[set][from]) continue;
        slots(table.entries.at(to / b))[set][to % b] =
            slots(table.entries[from / b])[set][from % b];
        ++to;
      }
    }
  }
  // No target is a source, so the order of the copies does not matter.
  void before(const TokensMoved& e) {
    const ShadowCache::Table& table = shadow_.sequences().at(e.sequence).at(e.table);
    const std::uint32_t b = config_.block_size;
    for (std::uint32_t set = 0; set < e.moves.sets(); ++set)
      for (const SlotMove& move : e.moves.of(set))
        slots(table.entries.at(move.target / b))[set][move.target % b] =
            slots(table.entries.at(move.source / b))[set][move.source % b];
  }
  void after(const BlocksAdopted& e) { adopting_.insert(e.sequence); }
  void after(const TokensAppended& e) {
    if (adopting_.erase(e.sequence) > 0) return;  // found, not written
    const auto& tables = shadow_.sequences().at(e.sequence);
    const std::uint32_t b = config_.block_size;
    for (const ShadowCache::Table& table : tables)
      for (std::uint32_t i = 0; i < e.count; ++i) {
        const std::uint32_t slot = table.length - e.count + i;
        for (auto& set : slots(table.entries[slot / b]))
          set[slot % b] = kv_datum(requests_.at(e.sequence), e.first + i);
      }
  }
  void after(const BlockCopied& e) {
    const Slots copy = slots(e.from);
    slots(e.to) = copy;
  }

  CacheConfig config_;
  ShadowCache shadow_;
  std::map<SequenceId, Request> requests_;
  std::map<BlockId, Slots> blocks_;
  std::set<SequenceId> adopting_;
};

}  // namespace vacancy::test
