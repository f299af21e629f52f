// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/eviction/sequence_state.hpp"
#include "sim/eviction/token_reader.hpp"
#include "sim/pool/cache_layout.hpp"
#include "sim/units/units.hpp"

namespace vacancy {

/// Tokens that stay whatever their score. A policy's own needs and `eviction.protect` are joined by
/// the larger value each.
struct Protection {
  std::uint32_t sinks = 0;   // the first tokens of the sequence, by position
  std::uint32_t recent = 0;  // the last tokens, by position

  bool operator==(const Protection&) const = default;
};

/// What a policy must be fed.
struct PolicyNeeds {
  AttentionFeatures features;
  /// The softmax rows of all queries, which fused attention never writes.
  bool every_row = false;
  /// Rows of so many queries to come, as far as the sequence goes on: what only an oracle has.
  std::uint32_t queries_ahead = 0;

  bool any() const { return !(features == AttentionFeatures{}); }
};

/// One keep set to be chosen for one sequence at one moment. All a policy may look at; a policy
/// changes nothing but `scores` or `keep`.
struct EvictionRound {
  SequenceId sequence;
  std::uint32_t number = 0;         // rounds of this sequence so far
  std::uint32_t next_position = 0;  // t: position of the next token (spec policies §0)
  std::uint32_t prompt_tokens = 0;  // P
  std::uint32_t block_size = 0;     // B
  const CacheLayout* layout = nullptr;
  std::uint32_t set = 0;  // policy set, see CacheLayout::heads

  /// Live tokens of the set, ascending; ordinals below index this array.
  std::span<const std::uint32_t> live;
  /// slots[i]: table slot of live[i]. Slot / B is the logical block.
  std::span<const std::uint32_t> slots;
  /// How many tokens the set may keep, protected ones included.
  std::uint32_t keep = 0;
  /// Bit i: live[i] is protected (prompt, sinks, recent window). Fewer than `keep`; as many at most
  /// where sets have shares of their own.
  std::span<const std::uint64_t> guarded;

  const SequenceAttention* attention = nullptr;  // only where the policy needs it
  /// What `open_state` made, advanced up to next_position.
  const SequenceState* state = nullptr;
  /// scores[i] of live[i], where `allot` has asked for them already; empty otherwise.
  std::span<const double> scores;

  HeadRange heads() const { return layout->heads(set); }
};

/// Buffers that selection reuses, so that a round allocates nothing once they have grown. `scores`
/// belongs to whoever calls `score`; `joined` and `ends` are those of `allot`, and `of_sets` is
/// what it leaves in its rounds (shares.hpp); `spare` no shared function takes; the others are free
/// for use within one call.
struct SelectionScratch {
  std::vector<double> scores, parts, spare;
  std::vector<std::uint32_t> draws, order;
  std::vector<std::uint64_t> keys, marks, forced;
  std::vector<float> vectors, rows;
  std::vector<double> joined, of_sets;
  std::vector<std::size_t> ends;
};

/// Who says how many tokens stay.
enum class KeepRule {
  budget,  // the evictor: `round.keep` tokens, as many for every set
  ragged,  // the policy: what equal budgets would keep in all, in shares of its own (`allot`)
  own,     // the policy: an explicit list; the budget does not matter, `round.keep` is no limit
  all,     // nobody: nothing is ever evicted, a sequence is never due
};

/// Whether `eviction.budget` says how much stays.
inline bool has_budget(KeepRule rule) {
  return rule == KeepRule::budget || rule == KeepRule::ragged;
}

/// How many tokens `select` keeps where it may keep `round.keep`.
enum class KeepCount {
  exact,
  fewer,   // as many at most: what goes together goes, or not enough tokens are worth it
  blocks,  // whole blocks: up to B - 1 more, or all that the blocks which stay hold
};

/// The contract of every eviction method.
///
/// Life cycle: one immutable object a run, called from any thread. For each sequence that is due
/// and each of its keep sets the evictor calls `select` once. Pure: the result is a function of the
/// round and of the policy's own options and seed; ties fall to the lowest position. So is `allot`.
///
/// Whoever adds a policy writes one file and one line of eviction/registry.cpp. Most policies only
/// give scores; the rest is shared (selection.hpp).
class EvictionPolicy {
 public:
  virtual ~EvictionPolicy() = default;

  virtual PolicyNeeds needs() const { return {}; }
  virtual KeepRule keep_rule() const { return KeepRule::budget; }

  virtual KeepCount keep_count() const { return KeepCount::exact; }

  /// What the policy remembers of one sequence, for `round.state`; null if nothing. A policy with a
  /// state needs attention.
  virtual std::unique_ptr<SequenceState> open_state(const AttentionShape& /*shape*/,
                                                    std::uint32_t /*prompt_tokens*/) const {
    return nullptr;
  }
  /// Tokens that a set keeps, in the mean, where `eviction.budget` says `budget`.
  virtual std::uint32_t capacity(std::uint32_t budget) const { return budget; }

  /// What the method itself always keeps, given the tokens it may keep per set.
  virtual Protection protection(std::uint32_t /*budget*/) const { return {}; }

  /// scores[i]: the worth of live[i]; the larger stays. Finite. Scores of guarded tokens are not
  /// looked at. Also what whole-block selection aggregates.
  virtual void score(const EvictionRound& round, std::span<double> scores,
                     SelectionScratch& scratch) const = 0;

  /// KeepRule::ragged only: once a round, before any set is chosen, says how many tokens each of
  /// the sequence's sets may keep. `sets` stand in ascending order, `keep` of each holds the equal
  /// budget, and so does `shares` on entry. What exceeds a set's live tokens or falls short of its
  /// guarded ones is cut by the caller and given to no other set; each method says what its shares
  /// sum up to. Scores that it needs stay in the rounds (score_all), for `select` with the same
  /// scratch.
  virtual void allot(std::span<EvictionRound> sets, std::span<std::uint32_t> shares,
                     SelectionScratch& scratch) const;

  /// Sets bit i of `keep` (all zero on entry) for each live[i] that stays: every guarded token and
  /// `round.keep` tokens in all (see keep_count), by score unless the method has another rule. A
  /// guarded token is never dropped.
  virtual void select(const EvictionRound& round, std::span<std::uint64_t> keep,
                      SelectionScratch& scratch) const;

  /// Whether single queries read less than what is kept: open_reader() says which of it.
  virtual bool reads_part() const { return false; }
  /// What single queries read for (layer, KV head) of the round's set, whose live tokens and slots
  /// are those that a round left; null where they read all. The round's attention outlives it.
  virtual std::unique_ptr<TokenReader> open_reader(const EvictionRound& /*round*/,
                                                   std::uint32_t /*layer*/,
                                                   std::uint32_t /*kv_head*/) const {
    return nullptr;
  }
};

}  // namespace vacancy
