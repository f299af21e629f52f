// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/compactable.hpp"

#include <algorithm>
#include <iterator>

namespace vacancy {

Compactable::Compactable(const BlockTable& table, const BlockPool& pool, SharedBlocks rule)
    : table_(table), pool_(pool), rule_(rule) {
  const auto blocks = table.entries();
  if (rule == SharedBlocks::suffix)
    for (std::uint32_t entry = 0; entry < blocks.size(); ++entry)
      if (blocks[entry] != null_block && shared(entry)) first_ = entry + 1;
  for (std::uint32_t entry = first_; entry < blocks.size(); ++entry)
    if (blocks[entry] != null_block && (table.live_pairs(entry) > 0 || !shared(entry)))
      entries_.push_back(entry);
}

std::span<const std::uint32_t> Compactable::changed() const {
  if (rule_ == SharedBlocks::suffix) return entries_;
  const auto hole = std::ranges::find_if(entries_, [&](std::uint32_t e) { return has_hole(e); });
  const bool copies = rule_ == SharedBlocks::copy_out &&
                      std::any_of(hole, entries_.end(), [&](std::uint32_t e) { return shared(e); });
  return {copies ? entries_.begin() : hole, entries_.end()};
}

bool Compactable::has_hole(std::uint32_t entry) const {
  const std::uint32_t b = table_.block_size();
  const std::uint32_t slots = std::min(b, table_.length() - entry * b);
  return table_.live_pairs(entry) < slots * table_.sets();
}

std::uint32_t Compactable::blocks_filled(std::span<const std::uint32_t> entries) const {
  const std::uint32_t b = table_.block_size();
  return entries.empty() ? 0 : (table_.fullest_set(entries.front() * b) + b - 1) / b;
}

void Compactable::release_empty(TablePlan& plan) const {
  const auto blocks = table_.entries();
  for (std::uint32_t entry = 0; entry < blocks.size(); ++entry)
    if (blocks[entry] == null_block ||
        (table_.live_pairs(entry) == 0 && (entry < first_ || shared(entry))))
      plan.release.push_back(entry);
}

void Compactable::settle_shared(std::span<const std::uint32_t> written,
                                std::span<const std::uint32_t> read, TablePlan& plan,
                                bool& refused) const {
  const auto is_shared = [&](std::uint32_t entry) { return shared(entry); };
  if (rule_ == SharedBlocks::refuse)
    refused |= std::ranges::any_of(written, is_shared) || std::ranges::any_of(read, is_shared);
  if (rule_ == SharedBlocks::unshare)
    std::ranges::copy_if(written, std::back_inserter(plan.unshare), is_shared);
}

void Compactable::settle_shared_moves(std::uint32_t last, TablePlan& plan, bool& refused) const {
  if (rule_ == SharedBlocks::suffix || entries_.empty()) return;
  const std::uint32_t b = table_.block_size();
  std::vector<bool> is_read(table_.entries().size()), is_written(table_.entries().size());
  for (const SlotMove& move : plan.moves.all()) {
    is_read[move.source / b] = true;
    is_written[move.target / b] = true;
  }
  // The table's end moves, so that the last entry's slots are others.
  if (is_read[last] || has_hole(last)) is_written[last] = true;
  std::vector<std::uint32_t> written, read;
  for (const std::uint32_t entry : entries_) {
    if (is_written[entry]) written.push_back(entry);
    if (is_read[entry]) read.push_back(entry);
  }
  settle_shared(written, read, plan, refused);
}

}  // namespace vacancy
