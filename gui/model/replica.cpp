// SPDX-License-Identifier: Apache-2.0
#include "gui/model/replica.hpp"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>
#include <variant>

#include "gui/model/replica_events.hpp"
#include "gui/model/replica_undo.hpp"
#include "gui/model/state_hash.hpp"
#include "gui/model/writer_number.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

Replica::Replica(const ReplicaShape& shape) : shape_(shape), writer_(new_writer_number()) {
  const std::uint32_t blocks = shape.has_map ? shape.blocks.value_or(0) : 0;
  resize(blocks);
  for (const ReplicaShape::Window& window : shape.windows)
    for (std::uint32_t i = 0; i < window.host_blocks; ++i) {
      const std::uint32_t block = window.first + window.device_blocks + i;
      own_page_of(block).flags[block % BlockPage::blocks] = host_tier;
    }
  figures_.blocks = blocks - shape.host_blocks();
  figures_.slots[SlotClass::free] = figures_.blocks * shape.block_size;
  if (shape.has_queue) queue_ = ReplicaQueue::of_all(blocks, writer_);
}

Replica::Replica(const Replica& other) : writer_(0) {
  *this = other;
}

Replica& Replica::operator=(const Replica& other) {
  if (this == &other) return *this;
  if (other.writer_ != 0) other.writer_ = new_writer_number();
  shape_ = other.shape_;
  writer_ = new_writer_number();
  event_ = other.event_;
  time_ns_ = other.time_ns_;
  figures_ = other.figures_;
  blocks_ = other.blocks_;
  pages_ = other.pages_;
  shared_ = other.shared_;
  queue_ = other.queue_;
  const auto before = std::exchange(sequences_, other.sequences_);
  if (other.writer_ != 0) return *this;
  ReplicaTable::Spare spare;
  for (const auto& [id, sequence] : before)
    if (sequence.use_count() == 1)
      for (ReplicaTable& table : sequence->tables)
        table.give_memory_to(spare);
  rewrite_tables([&](ReplicaTable& table) { table.unpack_tokens(writer_, spare); });
  return *this;
}

template <class F>
void Replica::rewrite_tables(F&& f) {
  for (auto& [id, sequence] : sequences_) {
    if (std::none_of(sequence->tables.begin(), sequence->tables.end(),
                     [](const ReplicaTable& table) { return table.tokens != nullptr; }))
      continue;
    sequence = std::make_shared<ReplicaSequence>(*sequence);
    sequence->owner = writer_;
    for (ReplicaTable& table : sequence->tables)
      f(table);
  }
}

std::shared_ptr<const Replica> Replica::frozen() const {
  auto copy = std::make_shared<Replica>(*this);
  copy->writer_ = 0;
  copy->rewrite_tables([](ReplicaTable& table) { table.pack_tokens(); });
  return copy;
}

std::size_t Replica::bytes_beside(const Replica* other) const {
  std::size_t bytes = sizeof *this;
  bytes += pages_.beside(other != nullptr ? &other->pages_ : nullptr) * sizeof(BlockPage);
  bytes += queue_.bytes_beside(other != nullptr ? &other->queue_ : nullptr);
  for (const auto& [block, holders] : shared_)
    bytes += 64 + holders.size() * sizeof(Holder);
  for (const auto& [id, sequence] : sequences_) {
    bytes += 64 + sizeof *sequence + sequence->round_times.size() * sizeof(std::int64_t);
    for (const ReplicaTable& table : sequence->tables)
      bytes += table.bytes();
  }
  return bytes;
}

void Replica::resize(std::uint32_t blocks) {
  blocks_ = blocks;
  pages_.resize(block_pages(blocks), untouched_page());
  if (shape_.has_queue) queue_.resize(blocks);
}

void Replica::apply(const vacancy::Event& event, UndoJournal* journal) {
  if (journal != nullptr) journal->begin(time_ns_, figures_);
  ReplicaEvents events(*this, journal);
  std::visit(events, event);
  ++event_;
  if (journal != nullptr) journal->forget_oldest();
}

void Replica::undo(UndoJournal& journal) {
  VACANCY_ASSERT(journal.depth() > 0, "an event that was applied with the journal");
  ReplicaEvents events(*this, nullptr);
  UndoJournal::EventMark& mark = journal.events_.back();
  for (; mark.changes > 0; --mark.changes) {
    std::visit([&](auto& change) { events.take_back(change); }, journal.changes_.back());
    journal.changes_.pop_back();
  }
  figures_ = mark.figures;
  time_ns_ = mark.time_ns;
  journal.bytes_ -= mark.bytes;
  journal.events_.pop_back();
  --event_;
}

PoolView Replica::view() const {
  return {pages_.pages(), blocks_, shape_.block_size, event_, time_ns_};
}

std::vector<Replica::Place> Replica::places(std::uint32_t block) const {
  std::vector<Place> result;
  if (page_of(block).references[block % BlockPage::blocks] == 0) return result;
  const Holder only = only_holder(block);
  const auto shared = shared_.find(block);
  const std::span<const Holder> holders =
      shared == shared_.end() ? std::span(&only, 1) : std::span<const Holder>(shared->second);
  for (const Holder& holder : holders) {
    const auto& entries = sequences_.at(holder.sequence)->tables[holder.table].entries;
    const auto place = std::find(entries.begin(), entries.end(), block);
    if (place == entries.end()) continue;  // between two events of one operation
    result.push_back(
        {holder.sequence, holder.table, static_cast<std::uint32_t>(place - entries.begin())});
  }
  return result;
}

void Replica::slots(std::uint32_t block, std::vector<SlotView>& out) const {
  out.assign(shape_.block_size, {});
  for (const Place& place : places(block)) {
    const ReplicaSequence& sequence = *sequences_.at(place.sequence);
    const ReplicaTable& table = sequence.tables[place.table];
    const std::uint32_t first = place.entry * shape_.block_size;
    for (std::uint32_t offset = 0; offset < table.fill_of(place.entry); ++offset) {
      SlotView& slot = out[offset];
      const std::uint32_t holders = table.holders(first + offset);
      const bool first_to_tell = slot.state == SlotState::tail;
      if (holders > 0) {
        if (slot.holders == 0) slot.position = table.token(first + offset);
        slot.holders += holders;
        slot.state = SlotState::live;
        slot.evicted_ns = -1;
      } else if (first_to_tell) {
        slot.state = SlotState::hole;
        slot.position = table.token(first + offset);
        const std::uint32_t round = table.vacated_in(first + offset);
        if (round < sequence.round_times.size()) slot.evicted_ns = sequence.round_times[round];
      }
    }
  }
}

const ReplicaSequence* Replica::sequence(std::uint32_t id) const {
  const auto place = sequences_.find(id);
  return place == sequences_.end() ? nullptr : place->second.get();
}

std::vector<std::uint32_t> Replica::blocks_of(std::uint32_t id) const {
  std::vector<std::uint32_t> result;
  const ReplicaSequence* const own = sequence(id);
  if (own == nullptr) return result;
  for (const ReplicaTable& table : own->tables)
    std::copy_if(table.entries.begin(), table.entries.end(), std::back_inserter(result),
                 [](std::uint32_t block) { return block != null_entry; });
  return result;
}

std::vector<std::uint32_t> Replica::free_queue(std::size_t most) const {
  std::vector<std::uint32_t> result;
  for (std::uint32_t block = queue_.front(); block != ReplicaQueue::none && result.size() < most;
       block = queue_.next(block))
    result.push_back(block);
  return result;
}

std::uint64_t Replica::hash() const {
  StateHash hash;
  hash.add(event_);
  hash.add(static_cast<std::uint64_t>(time_ns_));
  for (const std::uint64_t slots : figures_.slots.slots)
    hash.add(slots);
  for (const std::uint64_t figure :
       {figures_.blocks, figures_.held_blocks, figures_.shared_blocks, figures_.saved_blocks,
        figures_.cached_free_blocks, figures_.host_blocks, figures_.evicted_set_tokens,
        static_cast<std::uint64_t>(figures_.blocks_freed), figures_.appended_tokens,
        figures_.waiting, figures_.running, figures_.finished, figures_.steps})
    hash.add(figure);
  for (std::uint32_t block = 0; block < blocks(); ++block) {
    const BlockPage& page = page_of(block);
    const std::uint32_t at = block % BlockPage::blocks;
    hash.add(std::uint64_t{page.live[at]} << 32 | page.fill[at]);
    hash.add(std::uint64_t{page.flags[at]} << 32 | page.references[at]);
    hash.add(std::uint64_t{page.owner[at]} << 32 | page.owner_table[at]);
    hash.add(static_cast<std::uint64_t>(page.changed_ns[at]));
    hash.add(static_cast<std::uint64_t>(page.allocated_ns[at]));
    const auto shared = shared_.find(block);
    if (shared == shared_.end()) continue;
    for (const Holder& holder : shared->second)
      hash.add(std::uint64_t{holder.sequence} << 32 | holder.table);
  }
  for (std::uint32_t block = queue_.front(); block != ReplicaQueue::none;
       block = queue_.next(block))
    hash.add(block);
  for (const auto& [id, sequence] : sequences_) {
    hash.add(id);
    hash.add(sequence->prompt_tokens);
    hash.add(sequence->next_position);
    for (const std::int64_t time : sequence->round_times)
      hash.add(static_cast<std::uint64_t>(time));
    for (const ReplicaTable& table : sequence->tables)
      hash.add(table.hash());
  }
  return hash.value();
}

}  // namespace vacancy::gui
