// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy::test {

/// The tables of an engine's cache rebuilt from its event stream, whatever pools its blocks are of:
/// a block is allocated while nobody holds it, leaves the table that has it, and an id means one
/// block.
class TableFollower final : public Observer {
 public:
  using Table = std::vector<BlockId>;  // null_block: an entry that left the window

  void on_event(const Event& event) override {
    std::visit([&](const auto& e) { apply(e); }, event);
  }

  /// Blocks from this id on, so many, lie in the host's memory at first.
  void on_host(std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      host_.insert(BlockId(first + i));
  }
  std::uint64_t host_blocks() const { return host_.size(); }
  bool holds_host_block() const {
    return std::any_of(holders_.begin(), holders_.end(),
                       [&](const auto& held) { return host_.count(held.first) > 0; });
  }

  /// Different blocks that tables hold.
  std::uint64_t held_blocks() const { return holders_.size(); }
  /// Blocks that the sequence holds in a table.
  std::uint64_t held_by(SequenceId sequence, std::uint32_t table) const {
    const auto found = tables_.find({sequence, table});
    if (found == tables_.end()) return 0;
    const Table& entries = found->second;
    return entries.size() -
           static_cast<std::uint64_t>(std::count(entries.begin(), entries.end(), null_block));
  }
  /// Tokens that were known when the sequence was admitted last.
  std::uint32_t prompt(SequenceId sequence) const { return prompts_.at(sequence); }
  std::uint64_t holders_of(BlockId block) const {
    const auto found = holders_.find(block);
    return found == holders_.end() ? 0 : found->second;
  }
  /// Blocks that left a window.
  std::uint64_t slid() const { return slid_; }

 private:
  template <class E>
  void apply(const E&) {}

  void apply(const BlocksAllocated& e) {
    Table& table = tables_[{e.sequence, e.table}];
    REQUIRE(table.size() == e.first_entry);
    for (const BlockId block : e.blocks) {
      REQUIRE(holders_of(block) == 0);
      ++holders_[block];
      table.push_back(block);
    }
  }
  void apply(const BlocksAdopted& e) {
    Table& table = tables_[{e.sequence, e.table}];
    REQUIRE(table.empty());
    for (const BlockId block : e.blocks) {
      ++holders_[block];
      table.push_back(block);
    }
  }
  void apply(const BlocksReleased& e) {
    Table& table = tables_.at({e.sequence, e.table});
    std::uint32_t freed = 0;
    for (std::size_t i = 0; i < e.entries.size(); ++i) {
      REQUIRE(table.at(e.entries[i]) == e.blocks[i]);
      table[e.entries[i]] = null_block;
      if (--holders_.at(e.blocks[i]) > 0) continue;
      holders_.erase(e.blocks[i]);
      ++freed;
    }
    CHECK(freed == e.freed);
    if (e.cause == FreeCause::window) {
      CHECK_FALSE(e.shifted);
      slid_ += e.entries.size();
    }
  }
  void apply(const BlockOffloaded& e) {
    REQUIRE(holders_of(e.block) + holders_of(e.other) == 0);
    REQUIRE(host_.erase(e.other) == 1);
    REQUIRE(host_.insert(e.block).second);
  }
  void apply(const BlockOnboarded& e) {
    REQUIRE(host_.erase(e.block) == 1);
    REQUIRE(host_.insert(e.other).second);
  }
  void apply(const RequestAdmitted& e) { prompts_[e.sequence] = e.known; }
  void apply(const SequenceFinished& e) { leave(e.sequence); }
  void apply(const SequencePreempted& e) { leave(e.sequence); }
  void leave(SequenceId sequence) {
    for (auto it = tables_.lower_bound({sequence, 0});
         it != tables_.end() && it->first.first == sequence; it = tables_.erase(it))
      for (const BlockId block : it->second)
        REQUIRE(block == null_block);
  }

  std::map<std::pair<SequenceId, std::uint32_t>, Table> tables_;
  std::map<BlockId, std::uint32_t> holders_;
  std::map<SequenceId, std::uint32_t> prompts_;
  std::set<BlockId> host_;
  std::uint64_t slid_ = 0;
};

}  // namespace vacancy::test
