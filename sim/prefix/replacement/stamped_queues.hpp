// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/prefix/replacement/index_lists.hpp"
#include "sim/prefix/replacement/indexed_heap.hpp"
#include "sim/prefix/replacement/policy.hpp"

namespace vacancy {

/// Queues of cache entries in the order of a stamp that each entry got when it last moved. A pinned
/// entry keeps its queue and stamp but is out of sight; unpinned, it is back at its old place.
///
/// An entry whose stamp is the newest of its queue is appended to a list in O(1). One that returns
/// to an older place goes to the queue's heap, O(log entries): a list cannot be searched.
class StampedQueues {
 public:
  StampedQueues(std::uint32_t queues, std::uint32_t entries)
      : lists_(queues, entries),
        returned_(queues, IndexedHeap<EntryId, std::uint64_t>(entries)),
        sizes_(queues, 0),
        states_(entries) {}

  /// Entries of the queue, pinned ones too.
  std::uint32_t size(std::uint32_t queue) const { return sizes_[queue]; }
  std::uint32_t queue_of(EntryId entry) const { return states_[entry.value()].queue; }

  /// The unpinned entry with the oldest stamp.
  std::optional<EntryId> front(std::uint32_t queue) const {
    const auto& returned = returned_[queue];
    if (lists_.empty(queue)) return returned.empty() ? std::nullopt : std::optional(returned.top());
    const EntryId first = lists_.front(queue);
    if (!returned.empty() && returned.top_key() < states_[first.value()].stamp)
      return returned.top();
    return first;
  }

  /// Puts a new, unpinned entry at the end.
  void push(std::uint32_t queue, EntryId entry) {
    State& state = states_[entry.value()];
    state = {++clock_, queue, false};
    ++sizes_[queue];
    lists_.push_back(queue, entry);
  }

  /// Moves an entry, pinned or not, to the end of a queue, its own or another.
  void move(EntryId entry, std::uint32_t queue) {
    State& state = states_[entry.value()];
    if (!state.pinned) unlink(entry);
    --sizes_[state.queue];
    ++sizes_[queue];
    state.queue = queue;
    state.stamp = ++clock_;
    if (!state.pinned) lists_.push_back(queue, entry);
  }

  /// Moves an entry to the end of its queue.
  void renew(EntryId entry) { move(entry, queue_of(entry)); }

  void pin(EntryId entry) {
    unlink(entry);
    states_[entry.value()].pinned = true;
  }

  void unpin(EntryId entry) {
    State& state = states_[entry.value()];
    state.pinned = false;
    const bool newest =
        lists_.empty(state.queue) || states_[lists_.back(state.queue).value()].stamp < state.stamp;
    if (newest)
      lists_.push_back(state.queue, entry);
    else
      returned_[state.queue].push(entry, state.stamp);
  }

  void remove(EntryId entry) {
    const State& state = states_[entry.value()];
    if (!state.pinned) unlink(entry);
    --sizes_[state.queue];
  }

 private:
  struct State {
    std::uint64_t stamp = 0;
    std::uint32_t queue = 0;
    bool pinned = false;
  };

  void unlink(EntryId entry) {
    if (lists_.contains(entry))
      lists_.remove(entry);
    else
      returned_[queue_of(entry)].remove(entry);
  }

  IndexLists<EntryId> lists_;
  std::vector<IndexedHeap<EntryId, std::uint64_t>> returned_;
  std::vector<std::uint32_t> sizes_;
  std::vector<State> states_;
  std::uint64_t clock_ = 0;
};

}  // namespace vacancy
