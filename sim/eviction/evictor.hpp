// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/pool/keep_sets.hpp"

namespace vacancy {

/// The live tokens of one policy set, ascending, and the table slot of each.
struct LiveTokens {
  std::span<const std::uint32_t> tokens, slots;
};

/// A sequence that is to be evicted from.
struct EvictionRequest {
  SequenceId sequence;
  std::uint32_t round = 0;          // rounds of this sequence so far
  std::uint32_t next_position = 0;  // t
  std::uint32_t prompt_tokens = 0;  // P
  /// Of these, last tokens that have slots, but no keys and values yet: they stay, inside the
  /// budget (so that a block more is never freed than without them), and no policy sees them.
  std::uint32_t in_flight = 0;
  const SequenceAttention* attention = nullptr;  // available up to t, where the policy needs it
  const SequenceState* state = nullptr;          // of the policy, advanced up to t
};

/// How a sequence grew by one append.
struct Growth {
  std::uint32_t position_before = 0, position_after = 0;  // t before and after
  std::uint32_t prompt_tokens = 0;                        // P
  std::uint32_t live = 0;  // live tokens of the fullest set, the new ones included
  bool ended = false;      // the sequence is complete
};

/// From "this sequence grew" to "these tokens stay": trigger, protection and the policy's choice.
/// Changes nothing but its own buffers; one object a thread.
class Evictor {
 public:
  /// The policy outlives the evictor.
  Evictor(const EvictionPolicy& policy, const EvictorOptions& options, const CacheLayout& layout,
          std::uint32_t block_size);

  /// Tokens that a set holds just after a round: the budget, and a prompt pinned outside it.
  std::uint32_t keep_count(std::uint32_t prompt_tokens) const;

  /// Whether a round could evict anything from a sequence whose fullest set has `live` tokens.
  bool can_evict(std::uint32_t live, std::uint32_t prompt_tokens) const;

  /// Whether the growth makes a round due. Triggers `usage` and `allocation_failure` are not about
  /// length: the run decides them, together with `can_evict`.
  bool length_due(const Growth& growth) const;

  /// Chooses every set. False: the round is skipped, because in some set the pinned prompt and the
  /// protection leave nothing to choose; `out` is then of no use. A prompt is never truncated.
  /// `live_tokens(set)` is asked once for each policy set, in ascending order; its spans stay valid
  /// until the next call. Where whole blocks are kept, an explicit list says how many tokens'
  /// worth.
  bool decide(const EvictionRequest& request,
              const std::function<LiveTokens(std::uint32_t set)>& live_tokens, KeepSets& out);

  /// Whether the trigger speaks of the growth, evictable tokens or not.
  bool length_fires(const Growth& growth) const;

  /// What defects did in the last decision, in tokens of the first set.
  struct Damage {
    std::uint32_t orphaned = 0;  // tokens in flight that were dropped
    std::uint32_t pinned = 0;    // pinned tokens that were dropped
  };
  const Damage& damage() const { return damage_; }

 private:
  bool choose(EvictionRound& round, std::span<std::uint64_t> keep);
  void keep_first_guarded(const EvictionRound& round, std::uint32_t pinned,
                          std::span<std::uint64_t> keep);

  const EvictionPolicy& policy_;
  EvictorOptions options_;
  CacheLayout layout_;
  std::uint32_t block_size_;
  Protection protection_;
  SelectionScratch scratch_;
  std::vector<std::uint64_t> guarded_;
  Damage damage_;
};

/// The protection that holds in every round: the policy's own joined with `options.protect`.
Protection joined_protection(const EvictorOptions& options, const EvictionPolicy& policy);

/// Throws UserError if the protection alone fills the budget, so that nothing could be chosen.
void check_protection(const EvictorOptions& options, const EvictionPolicy& policy);

}  // namespace vacancy
