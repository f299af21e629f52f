// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <variant>
#include <vector>

#include "gui/model/replica.hpp"

namespace vacancy::gui {

/// What a replica was before its last events, change by change: apply() writes it, undo() reads it
/// from the end. The oldest events are forgotten where it would need more than `limit` bytes.
class UndoJournal {
 public:
  explicit UndoJournal(std::size_t limit = std::size_t{64} << 20) : limit_(limit) {}

  /// Events that can be taken back.
  std::uint64_t depth() const { return events_.size(); }
  std::size_t bytes() const { return bytes_; }
  void clear() {
    events_.clear();
    changes_.clear();
    bytes_ = 0;
  }

 private:
  friend class Replica;
  friend class ReplicaEvents;

  struct Block {
    std::uint32_t block;
    std::uint16_t live, fill;
    std::uint32_t references, owner, owner_table;
    std::uint8_t flags;
    std::int64_t changed, allocated;
  };
  struct Queued {  // it joined the queue
    std::uint32_t block;
  };
  struct Dequeued {  // it left the queue, where it stood behind another
    std::uint32_t block, before;
  };
  struct HolderAdded {
    std::uint32_t block;
  };
  struct HolderRemoved {  // `last`: only `rest` is left
    std::uint32_t block, index, sequence, table;
    bool last;
    std::uint32_t rest_sequence, rest_table;
  };
  struct EntryReplaced {
    std::uint32_t sequence, table, entry, before;
  };
  struct EntriesPushed {
    std::uint32_t sequence, table, count;
  };
  struct Appended {  // to all tables, none of which stored its run for it
    std::uint32_t sequence, count, next_position;
  };
  struct Table {
    std::uint32_t sequence, index;
    std::unique_ptr<ReplicaTable> before;
  };
  struct Position {
    std::uint32_t sequence, next_position;
  };
  struct RoundPushed {
    std::uint32_t sequence;
  };
  struct Sequence {  // null: it was not in the cache
    std::uint32_t id;
    std::shared_ptr<ReplicaSequence> before;
  };
  struct Grown {
    std::uint32_t blocks;  // before
  };
  using Change =
      std::variant<Block, Queued, Dequeued, HolderAdded, HolderRemoved, EntryReplaced,
                   EntriesPushed, Appended, Table, Position, RoundPushed, Sequence, Grown>;
  struct EventMark {
    std::size_t changes = 0;
    std::size_t bytes = 0;
    std::int64_t time_ns = 0;
    ReplicaFigures figures;
  };

  void begin(std::int64_t time_ns, const ReplicaFigures& figures) {
    events_.push_back({0, sizeof(EventMark), time_ns, figures});
    bytes_ += sizeof(EventMark);
  }
  void add(Change change, std::size_t more_bytes = 0) {
    changes_.push_back(std::move(change));
    EventMark& mark = events_.back();
    ++mark.changes;
    mark.bytes += sizeof(Change) + more_bytes;
    bytes_ += sizeof(Change) + more_bytes;
  }
  void forget_oldest() {
    while (bytes_ > limit_ && events_.size() > 1) {
      bytes_ -= events_.front().bytes;
      changes_.erase(changes_.begin(),
                     changes_.begin() + static_cast<std::ptrdiff_t>(events_.front().changes));
      events_.pop_front();
    }
  }

  std::size_t limit_;
  std::size_t bytes_ = 0;
  std::deque<EventMark> events_;
  std::deque<Change> changes_;
};

}  // namespace vacancy::gui
