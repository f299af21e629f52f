// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "sim/eviction/policy.hpp"
#include "sim/eviction/registry.hpp"
#include "sim/eviction/trigger.hpp"
#include "sim/pool/eviction_fault.hpp"

namespace vacancy {

/// How the scores of a block's tokens become the block's worth (`reclaim.aggregate`).
enum class BlockAggregate { sum, mean, max, top4 };

template <>
struct EnumNames<BlockAggregate> {
  static constexpr EnumName<BlockAggregate> table[] = {{BlockAggregate::sum, "sum"},
                                                       {BlockAggregate::mean, "mean"},
                                                       {BlockAggregate::max, "max"},
                                                       {BlockAggregate::top4, "top4"}};
};

/// What a block is worth: the sum, the mean or the largest of its tokens' weights, or the sum of
/// its `top` largest, guarded ones counting 0. Holes add nothing, so a sum under-rates a partial
/// block and a mean over-rates it where weights are not negative (P4 of block_aware §2).
struct BlockValue {
  // NOLINTNEXTLINE(google-explicit-constructor): a kind says it all but for other tops than four
  BlockValue(BlockAggregate aggregate, std::uint32_t top_tokens = 4)
      : kind(aggregate), top(top_tokens) {}
  BlockAggregate kind;
  std::uint32_t top;
};

/// Everything between "this sequence grew" and "these tokens stay" that is not the policy itself.
struct EvictorOptions {
  std::uint32_t budget = 0;    // K, tokens kept per set just after a round
  std::uint32_t interval = 0;  // beta, tokens between rounds
  PromptRule prompt = PromptRule::evictable;
  /// False: a prompt pinned inside the budget does not count in the length that triggers look at,
  /// so that rounds come late and cut deep (E-29).
  bool count_prompt = true;
  Protection protect;

  TriggerKind trigger = TriggerKind::slack;
  OnceAt once = OnceAt::sequence_end;
  std::uint32_t once_length = 0;  // for OnceAt::length
  double usage_arm = 0.98, usage_release = 0.90;

  /// Set where the reclaimer takes whole blocks only: selection then keeps the best blocks.
  std::optional<BlockAggregate> whole_blocks;

  /// Defects that the run is to show; of an engine's requests only.
  FaultSet faults;
};

}  // namespace vacancy
