// SPDX-License-Identifier: Apache-2.0
// What the books say of host memory. All layers share a table where there is some.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "gpu_backend/verify/books.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "sim/units/counted.hpp"

namespace vacancy::verify {

namespace {

BookFault at_entry(std::uint32_t entry, std::uint32_t block_size, std::string expected,
                   std::string found) {
  return {0, entry * block_size, {}, std::move(expected), std::move(found)};
}

void check_lists(std::uint32_t blocks, std::size_t listed) {
  if (blocks != listed)
    throw BookFault::of(counted(blocks, "block") + " listed", std::to_string(listed));
}

/// The device's block at an entry, which must have one.
std::int32_t block_at(const Books::Table& table, std::uint32_t entry, std::uint32_t block_size) {
  if (entry >= table.blocks.size() || table.blocks[entry] < 0)
    throw at_entry(entry, block_size, "a block at entry " + std::to_string(entry), "none");
  return table.blocks[entry];
}

}  // namespace

const Books::SwappedRequest* Books::swapped_out(SequenceId request) const {
  const auto found = swapped_.find(request);
  return found == swapped_.end() ? nullptr : &found->second;
}

std::vector<SequenceId> Books::sequences_of(SequenceId request) const {
  std::vector<SequenceId> found;
  for (const auto& [id, sequence] : sequences_)
    if (request_of(id) == request && id.value() < pin_id(request).value()) found.push_back(id);
  return found;
}

Books::BlockCopies Books::apply(const HostBlocksStored& event) {
  const Sequence& sequence = at(event.sequence);
  const Table& table = table_of(event.sequence, 0);
  check_lists(event.blocks, event.entries.size());
  check_lists(event.blocks, event.host_blocks.size());
  BlockCopies copies;
  std::uint32_t evicted = 0;
  for (std::size_t i = 0; i < event.entries.size(); ++i) {
    const std::uint32_t entry = event.entries[i], host_block = event.host_blocks[i];
    const std::int32_t block = block_at(table, entry, block_size_);
    const bool full = (entry + 1) * block_size_ <= sequence.tokens() && sequence.rounds == 0;
    if (!full || !free_.cached(static_cast<std::uint32_t>(block)))
      throw at_entry(entry, block_size_, "a full block with cached contents to copy to the host",
                     "another");
    if (host_block >= rules_.host_blocks)
      throw at_entry(entry, block_size_,
                     "one of " + counted(rules_.host_blocks, "block") + " on the host",
                     "number " + std::to_string(host_block));
    evicted += host_.contains(host_block);
    const auto first = sequence.rows.begin() + std::int64_t{entry} * block_size_;
    host_[host_block] = {{first, first + block_size_}, sequence.watched};
    copies.push_back(
        {block, static_cast<std::int32_t>(host_block), static_cast<std::int32_t>(block_size_)});
  }
  if (evicted != event.evicted)
    throw BookFault::of(counted(evicted, "block") + " on the host written over",
                        std::to_string(event.evicted));
  totals_.host_blocks_written += event.blocks;
  totals_.host_blocks_evicted += evicted;
  return copies;
}

Books::BlockCopies Books::apply(const HostBlocksLoaded& event) {
  Sequence& sequence = at(event.sequence);
  const Table& table = table_of(event.sequence, 0);
  check_lists(event.blocks, event.host_blocks.size());
  if (std::uint64_t{event.first_entry} * block_size_ != sequence.present)
    throw at_entry(event.first_entry, block_size_,
                   "contents behind the " + std::to_string(sequence.present) + " adopted tokens",
                   "others");
  BlockCopies copies;
  for (std::uint32_t i = 0; i < event.blocks; ++i) {
    const std::uint32_t entry = event.first_entry + i, slot = entry * block_size_;
    check_written(table, 0, slot);
    const auto copy = host_.find(event.host_blocks[i]);
    const std::string name = "block " + std::to_string(event.host_blocks[i]) + " on the host";
    if (copy == host_.end())
      throw at_entry(entry, block_size_, "a copy in " + name, "nothing was stored there");
    if (slot + block_size_ > sequence.tokens() ||
        !std::equal(copy->second.rows.begin(), copy->second.rows.end(),
                    sequence.rows.begin() + slot))
      throw at_entry(entry, block_size_, "the contents of entry " + std::to_string(entry),
                     "those of other tokens in " + name);
    copies.push_back({static_cast<std::int32_t>(event.host_blocks[i]), table.blocks[entry],
                      static_cast<std::int32_t>(block_size_)});
  }
  sequence.present += event.blocks * block_size_;
  totals_.host_blocks_loaded += event.blocks;
  return copies;
}

Books::BlockCopies Books::apply(const SequenceSwappedOut& event) {
  SwappedRequest out{event.blocks, event.tokens, at(event.sequence).watched, {}};
  const std::uint32_t entries = (event.tokens + block_size_ - 1) / block_size_;
  std::map<std::int32_t, std::uint32_t> numbers;  // on the host, of the blocks that leave
  BlockCopies copies;
  std::uint32_t number = 0;
  for (const SequenceId id : sequences_of(event.sequence)) {
    const Sequence& sequence = at(id);
    if (event.tokens == 0 || event.tokens > sequence.tokens() || sequence.rounds > 0)
      throw BookFault::of("tokens 0 to " + std::to_string(sequence.tokens()) + " to swap out",
                          std::to_string(event.tokens) + " of them");
    SwappedSequence& swapped = out.sequences[id];
    swapped.rows.assign(sequence.rows.begin(), sequence.rows.begin() + event.tokens);
    for (std::uint32_t entry = 0; entry < entries; ++entry) {
      const std::uint32_t first = entry * block_size_;
      const std::uint32_t slots = std::min(block_size_, event.tokens - first);
      const std::int32_t block = block_at(sequence.tables[0], entry, block_size_);
      const auto [place, fresh] = numbers.try_emplace(block, number);
      swapped.host_blocks.push_back(place->second);
      if (!fresh) continue;
      while (host_.count(number) > 0)
        ++number;
      place->second = swapped.host_blocks.back() = number;
      const auto rows = swapped.rows.begin() + first;
      host_[number] = {{rows, rows + slots}, out.watched};
      copies.push_back(
          {block, static_cast<std::int32_t>(number), static_cast<std::int32_t>(slots)});
    }
  }
  // Candidates that part behind these tokens count a block that they still shared then once.
  const bool alone = out.sequences.size() == 1;
  if (event.blocks > copies.size() || event.blocks < (alone ? copies.size() : entries))
    throw BookFault::of(counted(copies.size(), "block") + " with these tokens",
                        std::to_string(event.blocks));
  if (!swapped_.emplace(event.sequence, std::move(out)).second)
    throw BookFault::of("a request that is on the device", "one that was swapped out");
  totals_.swapped_out_blocks += event.blocks;
  return copies;
}

void Books::swap_in(const SwappedSequence& swapped, Sequence& sequence, BlockCopies& copies) {
  const auto tokens = static_cast<std::uint32_t>(swapped.rows.size());
  if (sequence.tokens() < tokens)
    throw BookFault::of("slots for " + std::to_string(tokens) + " tokens from the host",
                        std::to_string(sequence.tokens()));
  for (std::uint32_t entry = 0; entry < swapped.host_blocks.size(); ++entry)
    copies.push_back(
        {static_cast<std::int32_t>(swapped.host_blocks[entry]),
         block_at(sequence.tables[0], entry, block_size_),
         static_cast<std::int32_t>(std::min(block_size_, tokens - entry * block_size_))});
  std::copy(swapped.rows.begin(), swapped.rows.end(), sequence.rows.begin());
  sequence.present = tokens;
}

Books::BlockCopies Books::apply(const SequenceSwappedIn& event) {
  const auto found = swapped_.find(event.sequence);
  if (found == swapped_.end())
    throw BookFault::of("a request that was swapped out", "one that was not");
  const SwappedRequest& swapped = found->second;
  if (event.blocks != swapped.blocks)
    throw BookFault::of(counted(swapped.blocks, "block") + " as when it left",
                        std::to_string(event.blocks));
  BlockCopies copies;
  for (const auto& [id, sequence] : swapped.sequences)
    swap_in(sequence, at(id), copies);
  // Of a block that candidates share again, all that they have is the same.
  std::set<std::int32_t> targets;
  std::erase_if(copies, [&](const BlockCopy& copy) { return !targets.insert(copy.to).second; });
  leave_host(event.sequence);
  totals_.swapped_in_blocks += event.blocks;
  return copies;
}

void Books::apply(const RequestAdmitted& event) {
  const Sequence& sequence = at(event.sequence);
  if (swapped_out(event.sequence) != nullptr)
    throw BookFault::of("sequence_swapped_in before", "contents still on the host");
  if (event.hit + event.restored != sequence.present)
    throw BookFault::of(std::to_string(sequence.present) + " tokens adopted or from the host",
                        std::to_string(event.hit + event.restored));
}

void Books::leave_host(SequenceId request) {
  const auto found = swapped_.find(request);
  if (found == swapped_.end()) return;
  for (const auto& [id, sequence] : found->second.sequences)
    for (const std::uint32_t block : sequence.host_blocks)
      host_.erase(block);
  swapped_.erase(found);
}

}  // namespace vacancy::verify
