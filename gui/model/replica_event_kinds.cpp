// SPDX-License-Identifier: Apache-2.0
// ReplicaEvents: what each kind of event does.
#include <algorithm>
#include <utility>

#include "gui/model/replica_events.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

void ReplicaEvents::operator()(const ClockAdvanced& e) {
  r_.time_ns_ = e.now.value();
}

void ReplicaEvents::operator()(const SequenceStarted& e) {
  auto sequence = std::make_shared<ReplicaSequence>();
  sequence->owner = r_.writer_;
  sequence->id = e.sequence.value();
  sequence->prompt_tokens = e.prompt_tokens;
  ReplicaTable table;
  table.block_size = r_.shape_.block_size;
  table.sets = r_.shape_.sets_per_table();
  sequence->tables.assign(r_.shape_.has_map ? r_.shape_.tables() : 0, table);
  put(e.sequence.value(), std::move(sequence));
}

void ReplicaEvents::operator()(const BlocksAllocated& e) {
  const std::uint32_t id = e.sequence.value();
  ReplicaTable& table = writable(id).tables[e.table];
  VACANCY_ASSERT(table.entries.size() == e.first_entry, "blocks join the end of a table");
  if (journal_ != nullptr)
    journal_->add(
        UndoJournal::EntriesPushed{id, e.table, static_cast<std::uint32_t>(e.blocks.size())});
  for (const BlockId block : e.blocks) {
    table.entries.push_back(block.value());
    allocate(block.value(), id, e.table);
    if (r_.shape_.pins_prompts && pins(block.value(), id, e.table))
      set_flag(block.value(), pinned, true);
  }
}

void ReplicaEvents::operator()(const BlocksAdopted& e) {
  const std::uint32_t id = e.sequence.value();
  ReplicaTable& table = writable(id).tables[e.table];
  if (journal_ != nullptr)
    journal_->add(
        UndoJournal::EntriesPushed{id, e.table, static_cast<std::uint32_t>(e.blocks.size())});
  for (const BlockId block : e.blocks) {
    table.entries.push_back(block == null_block ? null_entry : block.value());
    if (block == null_block) continue;
    add_holder(block.value(), id, e.table);
    if (pins(block.value(), id, e.table)) set_flag(block.value(), pinned, true);
  }
}

void ReplicaEvents::operator()(const BlocksCached& e) {
  for (const BlockId block : e.blocks)
    set_flag(block.value(), cached, true);
}

void ReplicaEvents::operator()(const BlocksUncached& e) {
  for (const BlockId block : e.blocks) {
    set_flag(block.value(), cached, false);
    if (e.cause != UncacheCause::expiry && e.cause != UncacheCause::quota) continue;
    dequeue(block.value());  // it goes before all others (BlockPool::advance)
    enqueue(block.value(), true);
  }
}

void ReplicaEvents::operator()(const BlockOffloaded& e) {
  set_flag(e.block.value(), host_tier, true);
  set_flag(e.block.value(), cached, e.stored);
  set_flag(e.other.value(), host_tier, false);
  set_flag(e.other.value(), cached, false);
}

void ReplicaEvents::operator()(const BlockOnboarded& e) {
  set_flag(e.block.value(), host_tier, false);
  set_flag(e.other.value(), host_tier, true);
  set_flag(e.other.value(), cached, false);
}

void ReplicaEvents::operator()(const CacheCleared&) {
  for (std::uint32_t block = 0; block < r_.blocks(); ++block)
    set_flag(block, cached, false);
}

void ReplicaEvents::operator()(const TokensAppended& e) {
  const std::uint32_t id = e.sequence.value();
  r_.figures_.appended_tokens += e.count;
  ReplicaSequence& sequence = writable(id);
  bool plain = true;  // no null entry takes some of them
  for (const ReplicaTable& table : sequence.tables) {
    const std::uint32_t b = table.block_size;
    for (std::size_t entry = table.length / b;
         entry < table.entries.size() && entry * b < table.length + std::size_t{e.count}; ++entry)
      plain = plain && table.entries[entry] != null_entry;
  }
  if (journal_ != nullptr && plain)
    journal_->add(UndoJournal::Appended{id, e.count, sequence.next_position});
  else if (journal_ != nullptr)
    journal_->add(UndoJournal::Position{id, sequence.next_position});
  sequence.next_position = e.first + e.count;
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    ReplicaTable& table = plain ? sequence.tables[index] : changing(id, index);
    const std::uint32_t first = table.length;
    table.append(e.first, e.count, parts_);
    append_to(table, first, e.count);
  }
}

void ReplicaEvents::operator()(const TokensEvicted& e) {
  const std::uint32_t id = e.sequence.value();
  r_.figures_.evicted_set_tokens += e.evicted_set_tokens;
  r_.figures_.vacated_tokens += e.vacated_tokens;
  ReplicaSequence& sequence = writable(id);
  const auto round = static_cast<std::uint32_t>(sequence.round_times.size());
  if (journal_ != nullptr) journal_->add(UndoJournal::RoundPushed{id});
  sequence.round_times.push_back(r_.time_ns_);
  for (std::uint32_t index = 0; index < sequence.tables.size(); ++index) {
    changing(id, index).evict(
        [&](std::uint32_t set) { return e.keep.mask(r_.shape_.layout.policy_set(index, set)); },
        round, parts_);
    refresh(id, index, null_entry);
  }
}

void ReplicaEvents::operator()(const TablePacked& e) {
  changing(e.sequence.value(), e.table).pack(e.first_slot, e.length, parts_);
  refresh(e.sequence.value(), e.table, e.first_slot / r_.shape_.block_size);
}

void ReplicaEvents::operator()(const TableCopiedOut& e) {
  changing(e.sequence.value(), e.table).copy_out(e.first_slot, e.target_slot, e.length, parts_);
  refresh(e.sequence.value(), e.table, e.target_slot / r_.shape_.block_size);
}

void ReplicaEvents::operator()(const TokensMoved& e) {
  changing(e.sequence.value(), e.table).move(e.moves, e.length, parts_);
  refresh(e.sequence.value(), e.table, e.moves.first_slot / r_.shape_.block_size);
}

void ReplicaEvents::operator()(const BlocksReleased& e) {
  const std::uint32_t id = e.sequence.value();
  ReplicaTable& table = changing(id, e.table);
  std::vector<std::uint8_t> freed(e.blocks.size(), 0);
  std::vector<std::uint32_t> shared;
  for (std::size_t i = 0; i < e.blocks.size(); ++i) {
    if (e.blocks[i] == null_block) continue;
    const std::uint32_t block = e.blocks[i].value();
    freed[i] = drop_holder(block, id, e.table) ? 1 : 0;
    if (freed[i] == 0) shared.push_back(block);
  }
  table.release(e.entries, e.shifted, parts_);
  for (const std::uint32_t block : shared)
    refresh_block(block, e.entries.empty() ? 0 : e.entries.front());
  queue_released(e.blocks, freed);
}

void ReplicaEvents::operator()(const BlockCopied& e) {
  const std::uint32_t id = e.sequence.value();
  std::uint32_t& entry = writable(id).tables[e.table].entries[e.entry];
  if (journal_ != nullptr) journal_->add(UndoJournal::EntryReplaced{id, e.table, e.entry, entry});
  allocate(e.to.value(), id, e.table);
  entry = e.to.value();
  drop_holder(e.from.value(), id, e.table);
  refresh_block(e.from.value(), e.entry);
  refresh_block(e.to.value(), e.entry);
  if (pins(e.to.value(), id, e.table)) set_flag(e.to.value(), pinned, true);
}

void ReplicaEvents::operator()(const SequenceForked& e) {
  auto child = std::make_shared<ReplicaSequence>(*r_.sequences_.at(e.parent.value()));
  for (ReplicaTable& table : child->tables)
    table.disown(r_.writer_);
  child->owner = r_.writer_;
  child->id = e.child.value();
  const std::shared_ptr<ReplicaSequence> kept = child;
  put(e.child.value(), std::move(child));
  for (std::uint32_t index = 0; index < kept->tables.size(); ++index)
    for (const std::uint32_t block : kept->tables[index].entries)
      if (block != null_entry) add_holder(block, e.child.value(), index);
}

void ReplicaEvents::operator()(const RoundFinished& e) {
  ++r_.figures_.rounds;
  r_.figures_.blocks_freed += e.blocks_freed;
  r_.figures_.moved_bytes += e.bytes_moved.value();
}

void ReplicaEvents::operator()(const RoundSkipped&) {
  ++r_.figures_.skipped_rounds;
}

void ReplicaEvents::operator()(const SequenceFinished& e) {
  ++r_.figures_.finished;
  leave(e.sequence.value());
}

void ReplicaEvents::operator()(const SequencePreempted& e) {
  ++r_.figures_.preempted;
  leave(e.sequence.value());
}

void ReplicaEvents::operator()(const RequestQueued&) {}

void ReplicaEvents::operator()(const RequestAdmitted& e) {
  ++r_.figures_.admitted;
  r_.figures_.known_tokens += e.known;
  r_.figures_.hit_tokens += e.hit;
}

void ReplicaEvents::operator()(const StepComposed& e) {
  ++r_.figures_.steps;
  r_.figures_.waiting = e.waiting;
  r_.figures_.running = e.running;
}

void ReplicaEvents::operator()(const StepCompleted& e) {
  r_.figures_.produced_tokens += e.produced.size();
}

void ReplicaEvents::operator()(const RequestRejected&) {
  ++r_.figures_.rejected;
}

void ReplicaEvents::operator()(const OutOfMemory&) {
  ++r_.figures_.out_of_memory;
}

// Backwards.

void ReplicaEvents::take_back(UndoJournal::Block& c) {
  BlockPage& page = r_.own_page_of(c.block);
  const std::uint32_t at = c.block % BlockPage::blocks;
  page.live[at] = c.live;
  page.fill[at] = c.fill;
  page.references[at] = c.references;
  page.owner[at] = c.owner;
  page.owner_table[at] = c.owner_table;
  page.flags[at] = c.flags;
  page.changed_ns[at] = c.changed;
  page.allocated_ns[at] = c.allocated;
}
void ReplicaEvents::take_back(UndoJournal::Queued& c) {
  r_.queue_.remove(c.block, r_.writer_);
}
void ReplicaEvents::take_back(UndoJournal::Dequeued& c) {
  r_.queue_.insert_after(c.before, c.block, r_.writer_);
}
void ReplicaEvents::take_back(UndoJournal::HolderAdded& c) {
  auto& holders = r_.shared_.at(c.block);
  holders.pop_back();
  if (holders.size() == 1) r_.shared_.erase(c.block);
}
void ReplicaEvents::take_back(UndoJournal::HolderRemoved& c) {
  auto& holders = r_.shared_[c.block];
  if (c.last) holders.assign(1, {c.rest_sequence, c.rest_table});
  holders.insert(holders.begin() + c.index, {c.sequence, c.table});
}
void ReplicaEvents::take_back(UndoJournal::EntryReplaced& c) {
  writable(c.sequence).tables[c.table].entries[c.entry] = c.before;
}
void ReplicaEvents::take_back(UndoJournal::EntriesPushed& c) {
  auto& entries = writable(c.sequence).tables[c.table].entries;
  entries.resize(entries.size() - c.count);
}
void ReplicaEvents::take_back(UndoJournal::Appended& c) {
  ReplicaSequence& sequence = writable(c.sequence);
  sequence.next_position = c.next_position;
  for (ReplicaTable& table : sequence.tables)
    table.length -= c.count;
}
void ReplicaEvents::take_back(UndoJournal::Table& c) {
  writable(c.sequence).tables[c.index] = std::move(*c.before);
}
void ReplicaEvents::take_back(UndoJournal::Position& c) {
  writable(c.sequence).next_position = c.next_position;
}
void ReplicaEvents::take_back(UndoJournal::RoundPushed& c) {
  writable(c.sequence).round_times.pop_back();
}
void ReplicaEvents::take_back(UndoJournal::Sequence& c) {
  if (c.before)
    r_.sequences_[c.id] = std::move(c.before);
  else
    r_.sequences_.erase(c.id);
}
void ReplicaEvents::take_back(UndoJournal::Grown& c) {
  for (std::uint32_t block = c.blocks; r_.shape_.has_queue && block < r_.blocks(); ++block)
    r_.queue_.remove(block, r_.writer_);
  r_.resize(c.blocks);
}

}  // namespace vacancy::gui
