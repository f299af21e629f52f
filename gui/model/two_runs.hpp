// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gui/model/playback.hpp"
#include "gui/model/recording.hpp"

namespace vacancy::gui {

/// Where two runs first differ: up to `event` they are the same, byte for byte.
struct Divergence {
  std::uint64_t event = 0;
  std::int64_t time_ns = 0;
  /// "Sequence 11 evicts 694 tokens in both runs. A: 0 blocks come back. B: 43 blocks come back."
  std::string sentence;
};
/// Nothing while they are the same as far as both are recorded.
std::optional<Divergence> first_divergence(const Recording& a, const Recording& b);

/// A figure of two runs. The difference is B − A, its size 0 … 1 of the larger of the two; no
/// verdict which is better.
struct FigureRow {
  std::string name, a, b, difference;  // "same" where they are
  double size = 0;                     // positive: B has more
};

/// What is compared of a run at one moment.
struct RunFigures {
  std::uint64_t evicted_set_tokens = 0;
  std::uint32_t sets_per_table = 1, block_size = 16;
  std::int64_t blocks_freed = 0;
  std::uint64_t held_slots = 0, hole_slots = 0, tail_slots = 0;
  std::uint64_t held_blocks = 0, peak_held_blocks = 0;
  std::optional<std::uint64_t> cached_free_blocks;
  std::uint64_t moved_bytes = 0;
  std::uint64_t running = 0, waiting = 0, preemptions = 0, hit_tokens = 0;
};
/// At the cursor's moment.
RunFigures figures_at(const Cursor& cursor);
std::vector<FigureRow> figure_table(const RunFigures& a, const RunFigures& b);
/// Of runs that are over: summary.json's figures, as far as both have them.
std::vector<FigureRow> summary_table(const Summary& a, const Summary& b);

/// How a block differs between two runs at a moment.
enum class BlockDifference : std::uint8_t {
  same,
  only_a,  // held there, free in the other
  only_b,
  content  // held in both: another owner, other counts of slots
};
struct PoolDifference {
  std::vector<BlockDifference> blocks;  // by id, as many as the larger pool has
  std::array<std::uint64_t, 4> counts{};

  /// "2,214 of 2,587 blocks differ: 1,138 held only in A, 98 only in B, 978 in both with other
  /// content"
  std::string sentence() const;
};
PoolDifference difference(const PoolView& a, const PoolView& b);

/// Two recordings at the same virtual time.
class TwoRuns {
 public:
  TwoRuns(std::shared_ptr<const Recording> a, std::shared_ptr<const Recording> b);

  Cursor& a() { return a_; }
  Cursor& b() { return b_; }
  std::int64_t time_ns() const { return time_ns_; }
  /// Of the longer one.
  std::int64_t end_ns() const;

  void seek_time(std::int64_t time_ns);
  /// By so many units of the run whose next one comes first: both go to its time. False at the end.
  bool step(StepUnit unit, std::int64_t count = 1);
  /// Just after the first difference, in both; false if there is none.
  bool seek_divergence();
  /// Kept until one of them has grown.
  const std::optional<Divergence>& divergence();

 private:
  std::optional<std::int64_t> next_time(Cursor& cursor, StepUnit unit, bool back) const;

  Cursor a_, b_;
  std::int64_t time_ns_ = 0;
  std::optional<Divergence> divergence_;
  std::uint64_t compared_ = UINT64_MAX;  // events of both when it was looked for
};

}  // namespace vacancy::gui
