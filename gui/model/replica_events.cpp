// SPDX-License-Identifier: Apache-2.0
#include "gui/model/replica_events.hpp"

#include <algorithm>
#include <utility>

#include "gui/model/writer_number.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "sim/units/bit_mask.hpp"
#include "sim/units/error.hpp"

namespace vacancy::gui {

namespace {

constexpr std::uint64_t joins = 1, leaves = ~std::uint64_t{0};  // modulo 2^64

bool is_pin(std::uint32_t sequence) {
  return sequence >= most_candidates * candidate_stride;
}

}  // namespace

ReplicaEvents::ReplicaEvents(Replica& replica, UndoJournal* journal)
    : r_(replica),
      journal_(journal),
      parts_(journal != nullptr ? new_writer_number() : replica.writer_) {}

ReplicaSequence& ReplicaEvents::writable(std::uint32_t id) {
  const auto place = r_.sequences_.find(id);
  VACANCY_ASSERT(place != r_.sequences_.end(), "an event tells of a sequence that is there");
  if (place->second->owner != r_.writer_) {
    place->second = std::make_shared<ReplicaSequence>(*place->second);
    place->second->owner = r_.writer_;
  }
  return *place->second;
}

ReplicaTable& ReplicaEvents::changing(std::uint32_t sequence, std::uint32_t index) {
  ReplicaTable& table = writable(sequence).tables[index];
  if (journal_ != nullptr)
    journal_->add(UndoJournal::Table{sequence, index, std::make_unique<ReplicaTable>(table)},
                  table.bytes());
  return table;
}

void ReplicaEvents::put(std::uint32_t id, std::shared_ptr<ReplicaSequence> sequence) {
  const auto place = r_.sequences_.find(id);
  if (journal_ != nullptr)
    journal_->add(
        UndoJournal::Sequence{id, place == r_.sequences_.end() ? nullptr : place->second});
  r_.sequences_[id] = std::move(sequence);
  r_.figures_.sequences = r_.sequences_.size();
}

void ReplicaEvents::leave(std::uint32_t id) {
  const auto place = r_.sequences_.find(id);
  if (place == r_.sequences_.end()) return;
  if (journal_ != nullptr) {
    std::size_t bytes = sizeof(ReplicaSequence);
    for (const ReplicaTable& table : place->second->tables)
      bytes += table.bytes();
    journal_->add(UndoJournal::Sequence{id, place->second}, bytes);
  }
  r_.sequences_.erase(place);
  r_.figures_.sequences = r_.sequences_.size();
}

void ReplicaEvents::grow(std::uint32_t blocks) {
  const std::uint32_t before = r_.blocks();
  if (blocks <= before) return;
  if (journal_ != nullptr) journal_->add(UndoJournal::Grown{before});
  r_.resize(blocks);
  for (std::uint32_t block = before; block < blocks; ++block) {
    if (r_.shape_.has_queue) r_.queue_.insert_after(r_.queue_.back(), block, r_.writer_);
    r_.figures_.blocks += 1;
    contribute(r_.page_of(block), block % BlockPage::blocks, joins);
  }
}

void ReplicaEvents::contribute(const BlockPage& page, std::uint32_t at, std::uint64_t sign) {
  ReplicaFigures& sum = r_.figures_;
  const std::uint8_t flags = page.flags[at];
  const std::uint32_t references = page.references[at];
  const std::uint64_t b = r_.shape_.block_size;
  if ((flags & host_tier) != 0) {
    if ((flags & cached) != 0) sum.host_blocks += sign;
    return;
  }
  if (references == 0) {
    if ((flags & cached) != 0) sum.cached_free_blocks += sign;
    sum.slots[(flags & cached) != 0 ? SlotClass::cached_free : SlotClass::free] += sign * b;
    return;
  }
  const std::uint64_t live = page.live[at], fill = page.fill[at];
  sum.held_blocks += sign;
  if (references > 1) {
    sum.shared_blocks += sign;
    sum.saved_blocks += sign * (references - 1);
  }
  sum.slots[live_class(flags, references)] += sign * live;
  sum.slots[SlotClass::hole] += sign * (fill - live);
  sum.slots[SlotClass::tail] += sign * (b - fill);
}

template <class F>
void ReplicaEvents::change(std::uint32_t block, F&& f) {
  BlockPage& page = r_.own_page_of(block);
  const std::uint32_t at = block % BlockPage::blocks;
  if (journal_ != nullptr)
    journal_->add(UndoJournal::Block{block, page.live[at], page.fill[at], page.references[at],
                                     page.owner[at], page.owner_table[at], page.flags[at],
                                     page.changed_ns[at], page.allocated_ns[at]});
  contribute(page, at, leaves);
  f(page, at);
  page.changed_ns[at] = r_.time_ns_;
  contribute(page, at, joins);
}

void ReplicaEvents::set_flag(std::uint32_t block, BlockFlag flag, bool on) {
  const std::uint8_t before = flags_of(block);
  const auto flags = static_cast<std::uint8_t>(on ? before | flag : before & ~flag);
  if (flags != before)
    change(block, [&](BlockPage& page, std::uint32_t at) { page.flags[at] = flags; });
}

void ReplicaEvents::dequeue(std::uint32_t block) {
  if (!r_.shape_.has_queue || !r_.queue_.contains(block)) return;
  if (journal_ != nullptr) journal_->add(UndoJournal::Dequeued{block, r_.queue_.previous(block)});
  r_.queue_.remove(block, r_.writer_);
}

void ReplicaEvents::enqueue(std::uint32_t block, bool front) {
  if (!r_.shape_.has_queue) return;
  r_.queue_.insert_after(front ? ReplicaQueue::none : r_.queue_.back(), block, r_.writer_);
  if (journal_ != nullptr) journal_->add(UndoJournal::Queued{block});
}

bool ReplicaEvents::pins(std::uint32_t block, std::uint32_t sequence, std::uint32_t index) const {
  if (is_pin(sequence)) return true;
  if (!r_.shape_.pins_prompts) return false;
  const ReplicaSequence& holder = *r_.sequences_.at(sequence);
  // A pinned prompt is never evicted from, so that it stays at the front of its table.
  const auto& entries = holder.tables[index].entries;
  const std::size_t reach =
      (std::size_t{holder.prompt_tokens} + r_.shape_.block_size - 1) / r_.shape_.block_size;
  const auto end = entries.begin() + static_cast<std::ptrdiff_t>(std::min(reach, entries.size()));
  return std::find(entries.begin(), end, block) != end;
}

void ReplicaEvents::allocate(std::uint32_t block, std::uint32_t sequence, std::uint32_t table) {
  grow(block + 1);
  dequeue(block);
  change(block, [&](BlockPage& page, std::uint32_t at) {
    page.references[at] = 1;
    page.owner[at] = sequence;
    page.owner_table[at] = table;
    page.live[at] = page.fill[at] = 0;
    page.flags[at] = static_cast<std::uint8_t>(page.flags[at] | held);
    page.allocated_ns[at] = r_.time_ns_;
  });
}

void ReplicaEvents::add_holder(std::uint32_t block, std::uint32_t sequence, std::uint32_t table) {
  if (references_of(block) == 0) {
    grow(block + 1);
    dequeue(block);
    change(block, [&](BlockPage& page, std::uint32_t at) {
      page.references[at] = 1;
      page.owner[at] = sequence;
      page.owner_table[at] = table;
      page.flags[at] = static_cast<std::uint8_t>(page.flags[at] | held);
    });
    return;
  }
  auto& holders = r_.shared_[block];
  if (holders.empty()) holders.push_back(r_.only_holder(block));
  holders.push_back({sequence, table});
  if (journal_ != nullptr) journal_->add(UndoJournal::HolderAdded{block});
  change(block, [](BlockPage& page, std::uint32_t at) { ++page.references[at]; });
}

bool ReplicaEvents::drop_holder(std::uint32_t block, std::uint32_t sequence, std::uint32_t table) {
  const std::uint32_t left = references_of(block) - 1;
  if (left > 0) {
    auto& holders = r_.shared_.at(block);
    const auto place = std::find(holders.begin(), holders.end(), Replica::Holder{sequence, table});
    VACANCY_ASSERT(place != holders.end(), "who lets go of a block had it");
    const auto index = static_cast<std::uint32_t>(place - holders.begin());
    holders.erase(place);
    const Replica::Holder first = holders.front();
    if (journal_ != nullptr)
      journal_->add(UndoJournal::HolderRemoved{block, index, sequence, table, left == 1,
                                               first.sequence, first.table});
    bool pinned_still = false;
    if ((flags_of(block) & pinned) != 0)
      for (const Replica::Holder& holder : holders)
        pinned_still = pinned_still || pins(block, holder.sequence, holder.table);
    if (left == 1) r_.shared_.erase(block);
    change(block, [&](BlockPage& page, std::uint32_t at) {
      page.references[at] = left;
      page.owner[at] = first.sequence;
      page.owner_table[at] = first.table;
      if (!pinned_still) page.flags[at] = static_cast<std::uint8_t>(page.flags[at] & ~pinned);
    });
    return false;
  }
  change(block, [](BlockPage& page, std::uint32_t at) {
    page.references[at] = 0;
    page.owner[at] = no_sequence;
    page.owner_table[at] = 0;
    page.live[at] = page.fill[at] = 0;
    page.flags[at] = static_cast<std::uint8_t>(page.flags[at] & ~(held | pinned));
  });
  return true;
}

void ReplicaEvents::queue_released(std::span<const BlockId> blocks,
                                   const std::vector<std::uint8_t>& freed) {
  // As BlockPool::release: the last one first, unless the order says otherwise.
  const bool forward = r_.shape_.free_order == FreeOrder::append_forward;
  const auto to_front = [&](std::uint32_t block) {
    return r_.shape_.free_order == FreeOrder::uncached_first && (flags_of(block) & cached) == 0;
  };
  for (std::size_t left = blocks.size(); left-- > 0;) {
    const std::size_t i = forward ? blocks.size() - 1 - left : left;
    if (freed[i] != 0 && !to_front(blocks[i].value())) enqueue(blocks[i].value(), false);
  }
  for (std::size_t i = 0; i < blocks.size(); ++i)
    if (freed[i] != 0 && to_front(blocks[i].value())) enqueue(blocks[i].value(), true);
}

std::uint32_t ReplicaEvents::find(const ReplicaTable& table, std::uint32_t block,
                                  std::uint32_t hint) {
  if (hint < table.entries.size() && table.entries[hint] == block) return hint;
  const auto place = std::find(table.entries.begin(), table.entries.end(), block);
  return place == table.entries.end() ? null_entry
                                      : static_cast<std::uint32_t>(place - table.entries.begin());
}

void ReplicaEvents::refresh_block(std::uint32_t block, std::uint32_t hint) {
  const std::uint32_t b = r_.shape_.block_size;
  const BlockPage& page = r_.page_of(block);
  const std::uint32_t at = block % BlockPage::blocks;
  const Replica::Holder only = r_.only_holder(block);
  const std::span<const Replica::Holder> holders =
      page.references[at] > 1 ? std::span<const Replica::Holder>(r_.shared_.at(block))
                              : std::span(&only, 1);
  std::uint32_t fill = 0;
  mask_.assign(bits::words(b), 0);
  for (const Replica::Holder& holder : holders) {
    const ReplicaTable& table = r_.sequences_.at(holder.sequence)->tables[holder.table];
    const std::uint32_t entry = find(table, block, hint);
    if (entry == null_entry) continue;
    const std::uint32_t here = table.fill_of(entry), first = entry * b;
    fill = std::max(fill, here);
    if (first >= table.stored) {
      bits::set_range(mask_, 0, here);
      if (here == b) break;  // nothing can be added
    } else {
      for (std::uint32_t offset = 0; offset < here; ++offset)
        if (!bits::test(mask_, offset) && table.holders(first + offset) > 0)
          bits::set(mask_, offset);
    }
  }
  const auto live = static_cast<std::uint32_t>(bits::count(mask_));
  fill = std::max<std::uint32_t>(fill, page.fill[at]);  // nobody wrote while it was shared
  if (live != page.live[at] || fill != page.fill[at]) set_counts(block, live, fill);
}

void ReplicaEvents::set_counts(std::uint32_t block, std::size_t live, std::uint32_t fill) {
  change(block, [&](BlockPage& page, std::uint32_t at) {
    page.live[at] = static_cast<std::uint16_t>(live);
    page.fill[at] = static_cast<std::uint16_t>(fill);
  });
}

void ReplicaEvents::refresh(std::uint32_t sequence, std::uint32_t index, std::uint32_t rewritten) {
  const ReplicaTable& table = r_.sequences_.at(sequence)->tables[index];
  const std::uint32_t b = r_.shape_.block_size;
  table.held_mask(other_);
  for (std::uint32_t entry = 0; entry < table.entries.size(); ++entry) {
    const std::uint32_t block = table.entries[entry];
    if (block == null_entry) continue;
    const BlockPage& page = r_.page_of(block);
    const std::uint32_t at = block % BlockPage::blocks;
    if (page.references[at] > 1) {
      refresh_block(block, entry);
      continue;
    }
    const std::uint32_t fill = table.fill_of(entry), first = entry * b;
    const std::size_t live = fill == 0 ? 0 : bits::count_range(other_, first, first + fill);
    if (entry >= rewritten || live != page.live[at] || fill != page.fill[at])
      set_counts(block, live, fill);
  }
}

void ReplicaEvents::append_to(const ReplicaTable& table, std::uint32_t first, std::uint32_t count) {
  const std::uint32_t b = r_.shape_.block_size, end = first + count;
  for (std::uint32_t slot = first; slot < end;) {
    const std::uint32_t entry = slot / b, last = std::min(end, (entry + 1) * b);
    if (entry >= table.entries.size()) return;
    const std::uint32_t block = table.entries[entry], here = last - slot;
    slot = last;
    if (block == null_entry) continue;
    if (references_of(block) > 1) {
      refresh_block(block, entry);
      continue;
    }
    change(block, [&](BlockPage& page, std::uint32_t at) {
      page.live[at] = static_cast<std::uint16_t>(page.live[at] + here);
      page.fill[at] = static_cast<std::uint16_t>(last - entry * b);
    });
  }
}

}  // namespace vacancy::gui
