// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/pool/events.hpp"

namespace vacancy::test {

/// Sequences that share blocks, from the event stream alone: what each has written, and what stands
/// in memory. A sequence must find its own tokens behind its table, and nobody may write into a
/// block that others have. One table a sequence, no eviction.
class PlainBeams final : public Observer {
 public:
  explicit PlainBeams(std::uint32_t block_size) : block_size_(block_size) {}

  void on_event(const Event& event) override {
    std::visit([&](const auto& e) { apply(e); }, event);
  }

  /// The first rule that was broken; nothing if all is well.
  const std::optional<std::string>& fault() {
    for (const auto& [id, sequence] : sequences_)
      for (std::uint32_t i = 0; i < sequence.tokens.size(); ++i)
        require(slot(sequence, i) == sequence.tokens[i],
                "a sequence does not find its own token behind its table");
    return fault_;
  }
  /// Blocks that any sequence has, that several have, and that would be there besides if each had
  /// its own.
  struct Held {
    std::uint32_t blocks = 0, shared = 0;
    std::uint64_t saved = 0;
  };
  Held held() const {
    std::map<BlockId, std::uint32_t> users;
    for (const auto& [id, sequence] : sequences_)
      for (const BlockId block : sequence.blocks)
        ++users[block];
    Held held;
    for (const auto& [block, count] : users) {
      ++held.blocks;
      held.shared += count > 1;
      held.saved += count - 1;
    }
    return held;
  }
  std::uint64_t copies = 0, forks = 0;

 private:
  struct Sequence {
    std::vector<BlockId> blocks;
    std::vector<std::uint64_t> tokens;
  };

  void require(bool holds, const char* rule) {
    if (!holds && !fault_) fault_ = rule;
  }
  std::uint64_t& slot(const Sequence& sequence, std::uint32_t token) {
    auto& block = memory_[sequence.blocks.at(token / block_size_)];
    block.resize(block_size_);
    return block[token % block_size_];
  }
  std::uint32_t users(BlockId block) const {
    std::uint32_t count = 0;
    for (const auto& [id, sequence] : sequences_)
      count +=
          std::find(sequence.blocks.begin(), sequence.blocks.end(), block) != sequence.blocks.end();
    return count;
  }

  template <class E>
  void apply(const E&) {}

  void apply(const SequenceStarted& e) {
    require(sequences_.emplace(e.sequence, Sequence{}).second, "a sequence started twice");
  }
  void apply(const BlocksAllocated& e) {
    auto& blocks = sequences_.at(e.sequence).blocks;
    for (const BlockId block : e.blocks) {
      require(users(block) == 0, "a held block was allocated");
      blocks.push_back(block);
    }
  }
  void apply(const BlocksAdopted& e) {
    sequences_.at(e.sequence).blocks.assign(e.blocks.begin(), e.blocks.end());
    adopting_.insert(e.sequence);
  }
  void apply(const TokensAppended& e) {
    Sequence& sequence = sequences_.at(e.sequence);
    const bool found = adopting_.erase(e.sequence) > 0;
    require(e.first == sequence.tokens.size(), "a token is out of order");
    for (std::uint32_t i = e.first; i < e.first + e.count; ++i) {
      if (!found) {
        require(users(sequence.blocks.at(i / block_size_)) == 1,
                "a sequence wrote into a shared block");
        slot(sequence, i) = ++fresh_;
      }
      sequence.tokens.push_back(slot(sequence, i));
    }
  }
  void apply(const BlockCopied& e) {
    ++copies;
    require(users(e.from) > 1, "a block was copied that nobody shares");
    require(users(e.to) == 0, "a copy went to a held block");
    memory_[e.to] = memory_[e.from];
    BlockId& entry = sequences_.at(e.sequence).blocks.at(e.entry);
    require(entry == e.from, "a copy of another's block");
    entry = e.to;
  }
  void apply(const BlocksReleased& e) {
    Sequence& sequence = sequences_.at(e.sequence);
    require(std::equal(e.blocks.begin(), e.blocks.end(), sequence.blocks.begin(),
                       sequence.blocks.end()),
            "a sequence released other blocks than it had");
    sequence = {};
    const auto last = [&](BlockId block) { return users(block) == 0; };
    require(std::count_if(e.blocks.begin(), e.blocks.end(), last) == e.freed,
            "blocks whose last user left are free, and no others");
  }
  void apply(const SequenceForked& e) {
    ++forks;
    require(sequences_.emplace(e.child, sequences_.at(e.parent)).second,
            "a child took the number of a sequence that is there");
  }
  void apply(const SequenceFinished& e) { sequences_.erase(e.sequence); }
  void apply(const SequencePreempted& e) { sequences_.erase(e.sequence); }

  std::uint32_t block_size_;
  std::uint64_t fresh_ = 0;
  std::map<SequenceId, Sequence> sequences_;
  std::map<BlockId, std::vector<std::uint64_t>> memory_;
  std::set<SequenceId> adopting_;
  std::optional<std::string> fault_;
};

}  // namespace vacancy::test
