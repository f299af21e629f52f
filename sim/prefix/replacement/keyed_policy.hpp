// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "sim/prefix/replacement/indexed_heap.hpp"
#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// A place in an order of eviction: the smallest goes first.
struct ReplacementKey {
  std::uint64_t rank = 0;
  std::uint64_t stamp = 0;  // breaks ties; different for each entry

  friend bool operator<(const ReplacementKey& a, const ReplacementKey& b) {
    return a.rank != b.rank ? a.rank < b.rank : a.stamp < b.stamp;
  }
};

/// A policy whose order is a key of each entry that only events of that entry change. Derived
/// classes say which key; this one keeps the order, O(log entries) an event.
class KeyedPolicy : public ReplacementPolicy {
 public:
  explicit KeyedPolicy(std::uint32_t entries)
      : order_(entries), keys_(entries), pinned_(entries, false) {}

  void released(EntryId /*entry*/) override {}
  void pinned(EntryId entry) final {
    pinned_[entry.value()] = true;
    order_.remove(entry);
  }
  void unpinned(EntryId entry) final {
    pinned_[entry.value()] = false;
    order_.push(entry, keys_[entry.value()]);
  }
  void removed(EntryId entry, Removal /*how*/) override {
    if (!pinned_[entry.value()]) order_.remove(entry);
  }
  std::optional<EntryId> victim(const BlockAccess& /*incoming*/) override { return first(); }

 protected:
  /// The unpinned entry with the smallest key.
  std::optional<EntryId> first() const {
    return order_.empty() ? std::nullopt : std::optional(order_.top());
  }
  /// Its key; there must be one.
  const ReplacementKey& first_key() const { return order_.top_key(); }
  const ReplacementKey& key(EntryId entry) const { return keys_[entry.value()]; }

  void place(EntryId entry, const ReplacementKey& key) {
    keys_[entry.value()] = key;
    pinned_[entry.value()] = false;
    order_.push(entry, key);
  }
  void move(EntryId entry, const ReplacementKey& key) {
    keys_[entry.value()] = key;
    if (!pinned_[entry.value()]) order_.update(entry, key);
  }

  /// A number that no earlier event got.
  std::uint64_t tick() { return ++clock_; }

 private:
  IndexedHeap<EntryId, ReplacementKey> order_;
  std::vector<ReplacementKey> keys_;
  std::vector<bool> pinned_;
  std::uint64_t clock_ = 0;
};

}  // namespace vacancy
