// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/eviction/policies/memory_policy.hpp"
#include "sim/eviction/score_definition.hpp"

namespace vacancy {

/// A1 of spec block_aware §3 with any memory: the best blocks, whole, and the newest.
class WholeBlockPolicy : public MemoryPolicy, public DefinesScores {
 public:
  std::optional<ScoreDefinition> score_definition(const CacheLayout&) const override {
    if (memory().memory == MemoryKind::future) return std::nullopt;
    return AccumulatedScores{memory()};
  }
  std::optional<BlocksByScore> blocks_by_score() const override { return BlocksByScore{value_}; }

  KeepCount keep_count() const override { return KeepCount::blocks; }

  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch& scratch) const override {
    keep_best_blocks(round, scores_of(*this, round, scratch), value_, keep, scratch);
  }

 protected:
  WholeBlockPolicy(const std::string& place, const MemoryOptions& memory, BlockValue value)
      : MemoryPolicy(place, memory), value_(value) {}

 private:
  BlockValue value_;
};

}  // namespace vacancy
