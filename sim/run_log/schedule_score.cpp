// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/schedule_score.hpp"

#include <algorithm>
#include <cmath>

namespace vacancy {
namespace {

// Stamps of one step agree to a nanosecond, those of different steps are a step apart.
constexpr SimTime same_stamp{100'000};
// A tick is read this long before its nominal time, and counts within this window (spec
// rtx4090_run §1 and §4).
constexpr SimTime tick_lead{88'000'000}, tick_window{1'000'000'000};
constexpr double kv_tolerance_hundredths = 2;

bool same(SimTime a, SimTime b) {
  return std::max(a, b) - std::min(a, b) < same_stamp;
}

std::uint64_t groups(const RunLog& log, const SimulatedRun& run, SimTime MeasuredRequest::*stamp,
                     std::uint32_t SimulatedRequest::*step) {
  std::uint64_t agree = 0;
  for (std::size_t i = 1; i < log.requests.size(); ++i) {
    const bool measured = same(log.requests[i - 1].*stamp, log.requests[i].*stamp);
    const bool simulated = run.requests[i - 1].*step == run.requests[i].*step;
    if (measured == simulated) ++agree;
  }
  return agree;
}

void count_inversions(const RunLog& log, const SimulatedRun& run, ScheduleScore& score) {
  for (std::size_t a = 0; a < log.requests.size(); ++a) {
    for (std::size_t b = a + 1; b < log.requests.size(); ++b) {
      const SimTime time_a = log.requests[a].last_token, time_b = log.requests[b].last_token;
      if (same(time_a, time_b)) continue;
      ++score.pairs;
      const std::uint32_t step_a = run.requests[a].last_token, step_b = run.requests[b].last_token;
      if (time_a < time_b ? step_a > step_b : step_a < step_b) ++score.inversions;
    }
  }
}

bool has_exact_step(const MeasuredTick& tick, const SimulatedRun& run, double usable_blocks) {
  const SimTime read = tick.time - tick_lead;
  const auto first =
      std::lower_bound(run.steps.begin(), run.steps.end(), read - tick_window,
                       [](const SimulatedStep& step, SimTime time) { return step.end < time; });
  for (auto step = first; step != run.steps.end() && step->end <= read + tick_window; ++step) {
    const double used = 10'000.0 * step->used_blocks / usable_blocks;
    if (step->running == tick.running && step->waiting == tick.waiting &&
        std::abs(used - tick.kv_hundredths) <= kv_tolerance_hundredths)
      return true;
  }
  return false;
}

}  // namespace

ScheduleScore schedule_score(const RunLog& log, const SimulatedRun& run,
                             std::uint32_t usable_blocks) {
  VACANCY_ASSERT(run.requests.size() == log.requests.size(), "the simulation served the log");
  ScheduleScore score;
  score.neighbours = log.requests.size() - 1;
  score.admission_groups =
      groups(log, run, &MeasuredRequest::scheduled, &SimulatedRequest::first_scheduled);
  score.first_token_groups = first_token_groups(log, run);
  count_inversions(log, run, score);
  score.ticks = log.ticks.size();
  for (const MeasuredTick& tick : log.ticks)
    if (has_exact_step(tick, run, usable_blocks)) ++score.exact_ticks;
  return score;
}

std::uint64_t first_token_groups(const RunLog& log, const SimulatedRun& run) {
  return groups(log, run, &MeasuredRequest::first_token, &SimulatedRequest::first_token);
}

ScheduleCounts schedule_counts(const SimulatedRun& run) {
  ScheduleCounts counts;
  counts.steps = run.steps.size();
  for (const SimulatedStep& step : run.steps) {
    if (step.work.prefill_tokens > 0) ++counts.prefill_steps;
    counts.prefill_tokens += step.work.prefill_tokens;
  }
  counts.preemptions = run.preemptions;
  counts.recomputed_tokens = run.recomputed_tokens;
  counts.hit_tokens_first_admission = run.hit_tokens_first_admission;
  counts.hit_tokens_readmission = run.hit_tokens_readmission;
  return counts;
}

}  // namespace vacancy
