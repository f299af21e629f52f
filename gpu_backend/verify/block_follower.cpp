// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/verify/block_follower.hpp"

#include <string>

namespace vacancy::verify {

void BlockFollower::on_event(const Event& event) {
  ++events_;
  try {
    std::visit([this](const auto& e) { follow(e); }, event);
  } catch (BookFault& fault) {
    Difference difference;
    difference.operation = event_name(event);
    difference.event = events_;
    difference.time = time_;
    difference.table = fault.table;
    if (fault.block) difference.block = BlockId(*fault.block);
    difference.expected = std::move(fault.expected);
    difference.found = std::move(fault.found);
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { e.sequence; }) difference.sequence = e.sequence;
        },
        event);
    throw DifferenceFound{std::move(difference)};
  }
}

std::uint32_t BlockFollower::holders(BlockId block) const {
  const auto found = holders_.find(block);
  return found == holders_.end() ? 0 : found->second;
}

void BlockFollower::follow(const BlocksAllocated& event) {
  ++block_events_;
  auto& table = tables_[{event.sequence, event.table}];
  if (table.size() != event.first_entry)
    throw BookFault{event.table,
                    {},
                    {},
                    "blocks at entry " + std::to_string(table.size()),
                    "at entry " + std::to_string(event.first_entry)};
  for (const BlockId block : event.blocks) {
    if (holders(block) > 0)
      throw BookFault{event.table, {}, block.value(), "a free block", "one that a table holds"};
    ++holders_[block];
    table.push_back(block);
  }
}

void BlockFollower::follow(const BlocksAdopted& event) {
  ++block_events_;
  auto& table = tables_[{event.sequence, event.table}];
  if (!table.empty())
    throw BookFault{event.table, {}, {}, "a table without entries", "one with some"};
  for (const BlockId block : event.blocks) {
    if (block != null_block) ++holders_[block];
    table.push_back(block);
  }
}

void BlockFollower::follow(const BlocksReleased& event) {
  ++block_events_;
  auto& table = tables_[{event.sequence, event.table}];
  if (event.entries.size() != event.blocks.size())
    throw BookFault{event.table,
                    {},
                    {},
                    std::to_string(event.entries.size()) + " blocks",
                    std::to_string(event.blocks.size())};
  std::uint32_t freed = 0;
  for (std::size_t i = 0; i < event.entries.size(); ++i) {
    const std::uint32_t entry = event.entries[i];
    const BlockId block = event.blocks[i];
    if (entry >= table.size() || table[entry] != block)
      throw BookFault{
          event.table, {}, block.value(), "the block at entry " + std::to_string(entry), "another"};
    table[entry] = null_block;
    if (block == null_block || --holders_.at(block) > 0) continue;
    holders_.erase(block);
    ++freed;
  }
  if (freed != event.freed)
    throw BookFault{
        event.table, {}, {}, std::to_string(freed) + " blocks freed", std::to_string(event.freed)};
}

void BlockFollower::follow(const BlockOffloaded& event) {
  ++block_events_;
  if (holders(event.block) + holders(event.other) > 0)
    throw BookFault{event.table,
                    {},
                    event.block.value(),
                    "a free block to be copied to the host",
                    "one that a table holds"};
}

void BlockFollower::follow(const BlockOnboarded& event) {
  ++block_events_;
  if (holders(event.other) > 0)
    throw BookFault{event.table,
                    {},
                    event.other.value(),
                    "free device memory to be copied to",
                    "a block that a table holds"};
}

void BlockFollower::follow(const TokensAppended& event) {
  std::uint32_t& tokens = tokens_[event.sequence];
  if (event.first != tokens)
    throw BookFault::of("token " + std::to_string(tokens) + " next",
                        "token " + std::to_string(event.first));
  tokens += event.count;
}

void BlockFollower::follow(const StepComposed& /*event*/) {
  if (block_events_ > 0 && holders_.size() != held_now_())
    throw BookFault::of(std::to_string(holders_.size()) + " blocks held by the events",
                        std::to_string(held_now_()) + " in the simulator");
}

void BlockFollower::leave(SequenceId sequence) {
  tokens_.erase(sequence);
  for (auto it = tables_.lower_bound({sequence, 0});
       it != tables_.end() && it->first.first == sequence; it = tables_.erase(it))
    for (const BlockId block : it->second)
      if (block != null_block)
        throw BookFault{it->first.second,
                        {},
                        block.value(),
                        "all blocks released before the sequence leaves",
                        "one still held"};
}

}  // namespace vacancy::verify
