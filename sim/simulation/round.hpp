// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
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

  const Evictor& evictor() const { return evictor_; }
  /// The length that triggers speak of (Evictor::length).
  std::uint32_t length(const CachedSequence& sequence) const;
  /// Whether a round could evict anything.
  bool can_evict(const CachedSequence& sequence) const {
    return evictor_.can_evict(length(sequence), sequence.prompt_tokens);
  }
  /// One round of a sequence that will end with `final_length` tokens; the bytes that it moved, or
  /// nothing if it was skipped. The last `in_flight` tokens have slots, but no keys and values yet.
  std::optional<Bytes> run(SequenceId id, std::uint32_t final_length, std::uint32_t in_flight = 0);
  /// Forgets what was opened for a sequence.
  void close(SequenceId id) { open_.erase(id); }

 private:
  struct Open {
    std::unique_ptr<SequenceAttention> attention;
    std::unique_ptr<SequenceState> state;  // what the policy remembers, if anything
  };
  /// Attention over the sequence's first `computed` tokens at least, and over what else the policy
  /// needs of its `final_length`.
  Open& open(const CachedSequence& sequence, std::uint32_t computed, std::uint32_t final_length);
  LiveTokens live_tokens(const CachedSequence& sequence, std::uint32_t set);
  void measure(const CachedSequence& sequence, std::uint32_t round, std::uint32_t final_length,
               std::uint32_t computed);

  const RoundConfig& config_;
  KvCache& cache_;
  Observer& observer_;
  Evictor evictor_;
  PolicyNeeds needs_;
  std::map<SequenceId, Open> open_;
  KeepSets keep_;
  ReclaimPlan plan_;
  std::vector<std::uint32_t> tokens_, slots_, all_slots_;
  std::vector<BlockTable::LiveSlot> live_slots_;
};

}  // namespace vacancy
