// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gui/model/pool_view.hpp"
#include "gui/model/replica_undo.hpp"

namespace vacancy::gui {

/// What each event does to a replica, and how to take it back: the part of Replica::apply and undo
/// that knows the event stream.
class ReplicaEvents {
 public:
  ReplicaEvents(Replica& replica, UndoJournal* journal);

  template <class E>
  void operator()(const E&) {}  // changes nothing that a replica shows
  void operator()(const ClockAdvanced& e);
  void operator()(const SequenceStarted& e);
  void operator()(const BlocksAllocated& e);
  void operator()(const BlocksAdopted& e);
  void operator()(const BlocksCached& e);
  void operator()(const BlocksUncached& e);
  void operator()(const BlockOffloaded& e);
  void operator()(const BlockOnboarded& e);
  void operator()(const CacheCleared& e);
  void operator()(const TokensAppended& e);
  void operator()(const TokensEvicted& e);
  void operator()(const TablePacked& e);
  void operator()(const TableCopiedOut& e);
  void operator()(const TokensMoved& e);
  void operator()(const BlocksReleased& e);
  void operator()(const BlockCopied& e);
  void operator()(const SequenceForked& e);
  void operator()(const RoundFinished& e);
  void operator()(const RoundSkipped& e);
  void operator()(const SequenceFinished& e);
  void operator()(const SequencePreempted& e);
  void operator()(const RequestQueued& e);
  void operator()(const RequestAdmitted& e);
  void operator()(const StepComposed& e);
  void operator()(const StepCompleted& e);
  void operator()(const RequestRejected& e);
  void operator()(const OutOfMemory& e);

  // The same backwards.
  void take_back(UndoJournal::Block& change);
  void take_back(UndoJournal::Queued& change);
  void take_back(UndoJournal::Dequeued& change);
  void take_back(UndoJournal::HolderAdded& change);
  void take_back(UndoJournal::HolderRemoved& change);
  void take_back(UndoJournal::EntryReplaced& change);
  void take_back(UndoJournal::EntriesPushed& change);
  void take_back(UndoJournal::Appended& change);
  void take_back(UndoJournal::Table& change);
  void take_back(UndoJournal::Position& change);
  void take_back(UndoJournal::RoundPushed& change);
  void take_back(UndoJournal::Sequence& change);
  void take_back(UndoJournal::Grown& change);

 private:
  ReplicaSequence& writable(std::uint32_t id);
  ReplicaTable& changing(std::uint32_t sequence, std::uint32_t table);  // saved for undo
  void put(std::uint32_t id, std::shared_ptr<ReplicaSequence> sequence);
  void leave(std::uint32_t id);
  void grow(std::uint32_t blocks);

  /// Calls f(page, place in it) to change a block, between taking its share out of the figures and
  /// putting the new one in.
  template <class F>
  void change(std::uint32_t block, F&& f);
  void contribute(const BlockPage& page, std::uint32_t at, std::uint64_t sign);
  std::uint8_t flags_of(std::uint32_t block) const {
    return r_.page_of(block).flags[block % BlockPage::blocks];
  }
  std::uint32_t references_of(std::uint32_t block) const {
    return r_.page_of(block).references[block % BlockPage::blocks];
  }
  void set_flag(std::uint32_t block, BlockFlag flag, bool on);

  void allocate(std::uint32_t block, std::uint32_t sequence, std::uint32_t table);
  void add_holder(std::uint32_t block, std::uint32_t sequence, std::uint32_t table);
  /// True if it was the last one.
  bool drop_holder(std::uint32_t block, std::uint32_t sequence, std::uint32_t table);
  bool pins(std::uint32_t block, std::uint32_t sequence, std::uint32_t table) const;
  void dequeue(std::uint32_t block);
  void enqueue(std::uint32_t block, bool front);
  void queue_released(std::span<const BlockId> blocks, const std::vector<std::uint8_t>& freed);
  /// Reads live slots and fill of a table's blocks anew. From `rewritten` on blocks were written,
  /// also where the counts are as before.
  void refresh(std::uint32_t sequence, std::uint32_t table, std::uint32_t rewritten);
  /// The same of one block that others hold besides, or did.
  void refresh_block(std::uint32_t block, std::uint32_t hint);
  void set_counts(std::uint32_t block, std::size_t live, std::uint32_t fill);
  static std::uint32_t find(const ReplicaTable& table, std::uint32_t block, std::uint32_t hint);
  void append_to(const ReplicaTable& table, std::uint32_t first, std::uint32_t count);

  Replica& r_;
  UndoJournal* journal_;
  std::uint64_t parts_;  // who may write big parts of tables: with a journal, nobody before now
  std::vector<std::uint64_t> mask_, other_;
};

}  // namespace vacancy::gui
