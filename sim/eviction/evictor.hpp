// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
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
  std::uint32_t live = 0;  // Evictor::length, the new tokens included
  bool ended = false;      // the sequence is complete
};

/// From "this sequence grew" to "these tokens stay": trigger, protection and the policy's choice.
/// Changes nothing but its own buffers; one object a thread.
class Evictor {
 public:
  /// The policy outlives the evictor.
  Evictor(const EvictionPolicy& policy, const EvictorOptions& options, const CacheLayout& layout,
          std::uint32_t block_size);

  /// Tokens that a set holds just after a round, in the mean: the budget, and a prompt pinned
  /// outside it.
  std::uint32_t keep_count(std::uint32_t prompt_tokens) const;

  /// The length of a sequence that triggers speak of: `live`, the live tokens of its fullest set.
  /// Where a round does not leave the budget in every set, some sets are longer for ever; after the
  /// first round it is the budget then, and what was appended since the last (`grown`).
  std::uint32_t length(std::uint32_t live, std::uint32_t prompt_tokens,
                       std::optional<std::uint32_t> grown) const;

  /// Whether a round could evict anything from a sequence of that length.
  bool can_evict(std::uint32_t live, std::uint32_t prompt_tokens) const;

  /// Whether the growth makes a round due. Triggers `usage` and `allocation_failure` are not about
  /// length: the run decides them, together with `can_evict`.
  bool length_due(const Growth& growth) const;

  /// Chooses every set. False: the round is skipped, because in some set the pinned prompt and the
  /// protection leave nothing to choose; `out` is then of no use. A prompt is never truncated.
  /// `live_tokens(set)` is asked once for each policy set, in ascending order; its spans stay valid
  /// until the next call, so that shares of unequal size are decided on copies. Where whole blocks
  /// are kept, an explicit list says how many tokens' worth.
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
  using Lister = std::function<LiveTokens(std::uint32_t set)>;

  bool decide_alone(EvictionRound& round, const Lister& live_tokens, KeepSets& out);
  bool decide_together(EvictionRound& round, const Lister& live_tokens, KeepSets& out);
  std::uint32_t enter(EvictionRound& round, std::uint32_t set, const LiveTokens& tokens) const;
  std::uint32_t guard(EvictionRound& round, std::span<std::uint64_t> guarded) const;
  void select(EvictionRound& round, std::span<std::uint64_t> keep);
  void keep_first_guarded(const EvictionRound& round, std::span<std::uint64_t> keep);
  void keep_in_flight(const EvictionRound& round, std::uint32_t in_flight,
                      std::span<std::uint64_t> keep);
  bool orphans() const;
  std::uint32_t pinned(const EvictionRound& round) const {
    return options_.prompt == PromptRule::evictable ? 0 : round.prompt_tokens;
  }

  const EvictionPolicy& policy_;
  EvictorOptions options_;
  CacheLayout layout_;
  std::uint32_t block_size_;
  Protection protection_;
  SelectionScratch scratch_;
  std::vector<std::uint64_t> guarded_;
  Damage damage_;

  // All sets of a round, where they are decided together.
  struct Member {
    std::size_t first_token = 0, tokens = 0, first_word = 0;
    std::uint32_t in_flight = 0, guarded = 0;
  };
  std::vector<Member> members_;
  std::vector<EvictionRound> rounds_;
  std::vector<std::uint32_t> tokens_, slots_, shares_;
};

/// The protection that holds in every round: the policy's own joined with `options.protect`.
Protection joined_protection(const EvictorOptions& options, const EvictionPolicy& policy);

/// Throws UserError if the protection alone fills the budget, so that nothing could be chosen.
/// `place`: where the policy's parameters stand, such as "eviction.h2o".
void check_protection(const EvictorOptions& options, const EvictionPolicy& policy,
                      const std::string& place);

}  // namespace vacancy
