// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sim/prefix/replacement/eviction_guard.hpp"
#include "sim/units/philox.hpp"

namespace vacancy::test {

/// A serving engine in small: random insertions under random parents, hits, pins that nest,
/// releases, evictions and drops, with its own record of what stands where. `check` sees every
/// victim before it goes; `next_use` makes up an oracle.
class GuardedEntries {
 public:
  struct Entry {
    bool cached = false;
    ContentIndex content = no_content;
    std::uint32_t position = 0, pins = 0, children = 0;
    std::optional<std::uint32_t> parent;
    // Numbers of events: what simple orders go by.
    std::uint64_t uses = 0, inserted = 0, used = 0;
    std::int32_t priority = 0;
  };

  GuardedEntries(std::unique_ptr<ReplacementPolicy> policy, std::uint32_t entries,
                 std::uint32_t contents, std::uint64_t seed)
      : guard_(std::move(policy), entries),
        entries_(entries),
        contents_(contents),
        key_(philox_key(seed, Stream::workload)) {}

  const std::vector<Entry>& entries() const { return entries_; }
  EvictionGuard& guard() { return guard_; }

  bool in_reach(std::uint32_t id) const {
    const Entry& entry = entries_[id];
    return entry.cached && entry.pins == 0 && entry.children == 0;
  }

  /// One random event. Returns the victim if it was an eviction.
  template <class Check>
  void step(Check&& check) {
    ++now_;
    const auto draw = philox4x32_10({now_, 0, 0, 3}, key_);
    const auto id = static_cast<std::uint32_t>(draw[1] % entries_.size());
    Entry& entry = entries_[id];
    const std::uint32_t what = draw[0] % 16;
    if (!entry.cached) {
      insert(id, draw);
    } else if (what < 4) {
      hit(id, draw);
    } else if (what < 7) {
      ++entry.pins;
      guard_.pin(EntryId(id));
    } else if (what < 10) {
      if (entry.pins == 0) return;
      --entry.pins;
      if (entry.pins == 0 && what != 9) {
        entry.used = now_;
        guard_.released(EntryId(id));
      }
      guard_.unpin(EntryId(id));
    } else if (what < 15) {
      evict(check, draw[2]);
    } else if (entry.children == 0) {
      remove(id, Removal::dropped);
    }
  }

  template <class Check>
  std::optional<std::uint32_t> evict(Check&& check, std::uint32_t word) {
    const auto victim = guard_.victim(access(word));
    check(victim ? std::optional(victim->value()) : std::nullopt);
    if (!victim) return std::nullopt;
    remove(victim->value(), Removal::evicted);
    return victim->value();
  }

  void unpin_all() {
    for (std::uint32_t id = 0; id < entries_.size(); ++id)
      for (; entries_[id].pins > 0; --entries_[id].pins)
        guard_.unpin(EntryId(id));
  }

 private:
  BlockAccess access(std::uint32_t word) const {
    BlockAccess access;
    access.content = ContentIndex(word % contents_);
    access.position = word / contents_ % 5;
    access.priority = static_cast<std::int32_t>(word >> 16 & 3) - 1;
    access.now = SimTime(now_);
    access.next_use = now_ + 1 + (word >> 8 & 0xFF);
    return access;
  }

  void insert(std::uint32_t id, const PhiloxCounter& draw) {
    const BlockAccess use = access(draw[2]);
    Entry& entry = entries_[id];
    entry = {};
    entry.cached = true;
    entry.content = use.content;
    entry.position = use.position;
    entry.uses = 1;
    entry.inserted = entry.used = now_;
    entry.priority = use.priority;
    const auto parent = static_cast<std::uint32_t>(draw[3] % (2 * entries_.size()));
    if (parent < entries_.size() && parent != id && entries_[parent].cached) {
      entry.parent = parent;
      ++entries_[parent].children;
    }
    guard_.inserted(EntryId(id), use,
                    entry.parent ? std::optional(EntryId(*entry.parent)) : std::nullopt);
  }

  void hit(std::uint32_t id, const PhiloxCounter& draw) {
    Entry& entry = entries_[id];
    BlockAccess use = access(draw[2]);
    use.content = entry.content;
    use.position = entry.position;
    ++entry.uses;
    entry.used = now_;
    entry.priority = std::max(entry.priority, use.priority);
    guard_.hit(EntryId(id), use);
  }

  void remove(std::uint32_t id, Removal how) {
    guard_.removed(EntryId(id), how);
    if (entries_[id].parent) --entries_[*entries_[id].parent].children;
    entries_[id] = {};
  }

  EvictionGuard guard_;
  std::vector<Entry> entries_;
  std::uint32_t contents_;
  PhiloxKey key_;
  std::uint32_t now_ = 0;
};

}  // namespace vacancy::test
