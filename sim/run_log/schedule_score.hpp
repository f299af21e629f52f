// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/run_log/run_log.hpp"
#include "sim/run_log/simulated_run.hpp"

namespace vacancy {

/// How far a simulation makes the decisions of the measured engine, whatever its steps take (spec
/// rtx4090_run §6, point 1).
struct ScheduleScore {
  /// Neighbours i - 1, i in the log whose "same stamp" agrees with "same step".
  std::uint64_t neighbours = 0, admission_groups = 0, first_token_groups = 0;
  /// Pairs that finish at different times, and those that do in the wrong order.
  std::uint64_t pairs = 0, inversions = 0;
  /// Ticks that have a step within 1 s of equal running, waiting and used blocks.
  std::uint64_t ticks = 0, exact_ticks = 0;
};
/// `usable_blocks`: what 100 % of the gauge are.
ScheduleScore schedule_score(const RunLog& log, const SimulatedRun& run,
                             std::uint32_t usable_blocks);

/// The measure of agreement that a fit watches: as in ScheduleScore.
std::uint64_t first_token_groups(const RunLog& log, const SimulatedRun& run);

/// Counts that every step-time model has alike that gets the first seconds right.
struct ScheduleCounts {
  std::uint64_t steps = 0, prefill_steps = 0, prefill_tokens = 0;
  std::uint64_t preemptions = 0, recomputed_tokens = 0;
  std::uint64_t hit_tokens_first_admission = 0, hit_tokens_readmission = 0;

  bool operator==(const ScheduleCounts&) const = default;
};
ScheduleCounts schedule_counts(const SimulatedRun& run);

}  // namespace vacancy
