// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "sim/eviction/policy.hpp"
#include "sim/eviction/selection.hpp"
#include "sim/units/bit_mask.hpp"

namespace vacancy {

// How methods with shares of unequal size (KeepRule::ragged) divide what their sets keep together.

/// Values of several sets, one set behind the other, in buffers of the scratch.
class JoinedValues {
 public:
  explicit JoinedValues(SelectionScratch& scratch) : values_(scratch.joined), ends_(scratch.ends) {
    values_.clear();
    ends_.clear();
  }

  void add(double value) { values_.push_back(value); }
  void end_set() { ends_.push_back(values_.size()); }
  void add_set(std::span<const double> values) {
    values_.insert(values_.end(), values.begin(), values.end());
    end_set();
  }
  std::size_t size() const { return values_.size(); }

  /// Of the values of sets [first, last) the `wanted` largest are taken, or all; ties fall to the
  /// lower set, in it to the earlier value. counts[i]: how many of them are set first + i's.
  void count_best(std::size_t first_set, std::size_t last_set, std::size_t wanted,
                  std::span<std::uint32_t> counts, SelectionScratch& scratch) const;

 private:
  std::size_t begin(std::size_t set) const { return set == 0 ? 0 : ends_[set - 1]; }

  std::vector<double>& values_;
  std::vector<std::size_t>& ends_;
};

inline std::uint32_t guarded_tokens(const EvictionRound& round) {
  return static_cast<std::uint32_t>(bits::count(round.guarded));
}

/// Blocks that hold so many tokens.
inline std::uint32_t blocks_of(std::size_t tokens, std::uint32_t block_size) {
  return static_cast<std::uint32_t>((tokens + block_size - 1) / block_size);
}

/// What a set may keep of those of its tokens that may go, by the equal budget.
inline std::uint32_t open_room(const EvictionRound& round) {
  const std::uint32_t guarded = guarded_tokens(round);
  return round.keep - std::min(round.keep, guarded);
}

/// Scores the live tokens of every set and leaves that in the rounds, so that no set is scored
/// again when it is chosen. Valid until the next call with this scratch.
void score_all(const EvictionPolicy& policy, std::span<EvictionRound> sets,
               SelectionScratch& scratch);

/// The scores of those of a set's tokens that may go, in their order, in scratch.scores. The set
/// has its scores (score_all).
std::span<double> open_scores(const EvictionRound& round, SelectionScratch& scratch);

/// Calls f(first, last) for each run of sets that speak for the same layers.
template <class F>
void for_each_layer_pool(std::span<const EvictionRound> sets, F&& f) {
  for (std::size_t first = 0, last = 0; first < sets.size(); first = last) {
    const std::uint32_t layer = sets[first].heads().first_layer;
    while (last < sets.size() && sets[last].heads().first_layer == layer)
      ++last;
    f(first, last);
  }
}

/// Sets [first, last) together keep what equal budgets would, those of their tokens that score
/// highest: shares[i] becomes set i's part.
void share_by_score(std::span<const EvictionRound> sets, std::size_t first, std::size_t last,
                    const JoinedValues& scores, std::span<std::uint32_t> shares,
                    SelectionScratch& scratch);

}  // namespace vacancy
