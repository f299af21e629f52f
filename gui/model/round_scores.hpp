// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gui/model/recorded_run.hpp"
#include "gui/model/replica.hpp"
#include "sim/eviction/policy.hpp"
#include "sim/pool/cache_layout.hpp"

namespace vacancy::gui {

/// What a policy thought of a sequence's tokens in one round. Scores of methods, layers and heads
/// have no common scale: a token's is the share of the others in its set that score lower, 0 … 1,
/// and of several sets on a table the largest, since one set that keeps a token holds its slot.
class RoundScores {
 public:
  RoundScores(const CacheLayout& layout, std::uint32_t sequence);

  std::uint32_t sequence() const { return sequence_; }
  /// `unweighed`: the token was protected, or not there, or its set had nothing to drop.
  float of(std::uint32_t table, std::uint32_t position) const;
  bool empty() const;

  /// One set's choice: its scores and which of them nobody looked at.
  void add(const EvictionRound& round, std::span<const double> scores);

 private:
  CacheLayout layout_;
  std::uint32_t sequence_;
  std::vector<std::vector<float>> tables_;  // by position
};

/// Fills in the scores of what is or was in the slots of a block.
void add_scores(const Replica& replica, const RoundScores& scores, std::uint32_t block,
                std::span<SlotView> slots);
/// The highest score of a live slot in each block of the sequence; `unweighed` where none was
/// weighed.
struct BlockScore {
  std::uint32_t block;
  float highest;
};
std::vector<BlockScore> block_scores(const Replica& replica, const RoundScores& scores);
/// "0.91".
std::string score_text(float score);

/// A run that is made once more to hear what its policy thought, which its events do not tell: it
/// is a function of scenario and seed.
class ScoreRun {
 public:
  /// The last round of the sequence before so many events, which is its round `round`.
  ScoreRun(const Recording& recording, std::uint32_t sequence, std::uint32_t round,
           std::uint64_t event);

  /// The run, which ends with the step in which that moment is.
  std::unique_ptr<RecordedRun> make();
  /// After the run. Null if the round chose nothing, or the run never came to it.
  std::shared_ptr<const RoundScores> scores() const;

 private:
  struct Wish;
  class ListeningPolicy;

  std::shared_ptr<const Scenario> scenario_;
  std::optional<Fork> fork_;
  std::shared_ptr<Wish> wish_;
};

}  // namespace vacancy::gui
