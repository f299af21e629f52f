// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

#include "sim/eviction/attention_memory.hpp"
#include "sim/eviction/selection.hpp"

namespace vacancy {

/// What the methods share whose scores are an AttentionMemory and nothing else.
class MemoryPolicy : public EvictionPolicy {
 public:
  PolicyNeeds needs() const override { return attention_memory_needs(memory_); }
  std::unique_ptr<SequenceState> open_state(const AttentionShape& shape,
                                            std::uint32_t) const override {
    return std::make_unique<AttentionMemory>(shape, memory_);
  }
  void score(const EvictionRound& round, std::span<double> scores,
             SelectionScratch&) const override {
    score_by_attention_memory(round, scores);
  }

 protected:
  /// `place`: the policy's key, for messages.
  MemoryPolicy(const std::string& place, const MemoryOptions& memory) : memory_(memory) {
    check_memory_options(place, memory);
  }

  std::span<const double> scores_of(const EvictionRound& round, SelectionScratch& scratch) const {
    scratch.scores.resize(round.live.size());
    score_by_attention_memory(round, scratch.scores);
    return scratch.scores;
  }

 private:
  MemoryOptions memory_;
};

}  // namespace vacancy
