// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "sim/eviction/evictor.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/simulation/config.hpp"

namespace vacancy {

/// Carries out rounds: opens the attention that a policy needs, lets it decide, lets the reclaimer
/// plan, lets the cache act, measures what was lost. Owns what lives as long as a sequence.
class RoundRunner {
 public:
  RoundRunner(const RoundConfig& config, KvCache& cache, Observer& observer);

  const Evictor& evictor() const { return *evictor_; }
  /// The length that triggers speak of (Evictor::length).
  std::uint32_t length(const CachedSequence& sequence) const;
  /// Whether a round could evict anything.
  bool can_evict(const CachedSequence& sequence) const {
    return evictor_->can_evict(length(sequence), sequence.prompt_tokens);
  }
  /// One round of a sequence that will end with `final_length` tokens. The last `in_flight` tokens
  /// have slots, but no keys and values yet. `make_room` takes blocks from another sequence for a
  /// reclaimer that would rather have that than postpone (WhenFull); false if it cannot.
  struct Result {
    std::optional<SkipCause> skipped;
    Bytes bytes_moved;
  };
  Result run(SequenceId id, std::uint32_t final_length, std::uint32_t in_flight = 0,
             const std::function<bool()>& make_room = {});
  /// Carries out what a reclaimer plans for a sequence now, as at the end of a round; the bytes
  /// that it moved and copied. Nothing, and nothing changed, if the sequence is not in the cache or
  /// never had a round, or the plan is refused or finds too few blocks.
  std::optional<Bytes> reclaim(SequenceId id, const Reclaimer& reclaimer);
  /// The configuration's way to reclaim is another one now.
  void reclaim_changed();
  /// Forgets what was opened for a sequence.
  void close(SequenceId id) { open_.erase(id); }

 private:
  struct Open {
    std::unique_ptr<SequenceAttention> attention;
    std::unique_ptr<SequenceState> state;  // what the policy remembers, if anything
  };
  bool own_trajectory() const { return config_.trajectory == Trajectory::own; }
  /// Attention over the sequence's first `computed` tokens at least, and over what else the policy
  /// needs of its `final_length`.
  Open& open(const CachedSequence& sequence, std::uint32_t computed, std::uint32_t final_length);
  /// Plans for what eviction would leave; why the round cannot be, if so.
  std::optional<SkipCause> plan_ahead(const CachedSequence& sequence,
                                      const std::function<bool()>& make_room);
  /// Later queries read what the round left.
  void decode_on(const CachedSequence& sequence);
  LiveTokens live_tokens(const CachedSequence& sequence, std::uint32_t set);
  void measure(const CachedSequence& sequence, std::uint32_t round, std::uint32_t final_length,
               std::uint32_t computed);

  const RoundConfig& config_;
  KvCache& cache_;
  Observer& observer_;
  std::optional<Evictor> evictor_;
  PolicyNeeds needs_;
  std::map<SequenceId, Open> open_;
  KeepSets keep_;
  ReclaimPlan plan_;
  CachedSequence after_;  // evicted from, while a round is planned ahead
  std::vector<std::uint32_t> tokens_, slots_, all_slots_;
  std::vector<BlockTable::LiveSlot> live_slots_;
};

}  // namespace vacancy
