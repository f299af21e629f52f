// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "sim/eviction/attention_memory.hpp"
#include "sim/eviction/selection.hpp"

namespace vacancy {

/// The newest tokens, which few queries have weighed yet: so many, or else a block of them, but
/// less than the budget (spec block_aware §5).
inline Protection newest_tokens(std::optional<std::uint32_t> count, std::uint32_t block_size,
                                std::uint32_t budget) {
  return {0, count.value_or(std::min(block_size, budget - std::min(budget, 1u)))};
}

/// Of an option that becomes its `count`.
inline constexpr const char* newest_tokens_help =
    "Last tokens that always stay, because few queries have weighed them yet; null: as many as a "
    "block has, but less than the budget.";

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
  const MemoryOptions& memory() const { return memory_; }

 private:
  MemoryOptions memory_;
};

}  // namespace vacancy
