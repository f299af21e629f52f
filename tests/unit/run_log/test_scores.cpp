// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/prediction_score.hpp"
#include "sim/run_log/schedule_score.hpp"
#include "tests/unit/run_log/made_engine.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

MadeEngine engine() {
  return {60, SimTime(30'000'000)};
}

/// A tick for each tenth step, with its gauges.
RunLog log_with_ticks(const MadeEngine& made, const SimulatedRun& run) {
  RunLog log = made.log(run);
  const std::uint32_t usable = log.meta.usable_blocks();
  for (std::size_t i = 0; i < run.steps.size(); i += 10) {
    const SimulatedStep& step = run.steps[i];
    MeasuredTick tick;
    tick.time = step.end + SimTime(88'000'000);
    tick.running = step.running;
    tick.waiting = step.waiting;
    tick.kv_hundredths = static_cast<std::uint32_t>(10'000.0 * step.used_blocks / usable + 0.5);
    log.ticks.push_back(tick);
  }
  return log;
}

}  // namespace

TEST_CASE("a run that is its own log has full marks and no error") {
  const MadeEngine made = engine();
  const SimulatedRun run = made.run(true_prices());
  const RunLog log = log_with_ticks(made, run);
  const ScheduleScore schedule = schedule_score(log, run, log.meta.usable_blocks());
  CHECK(schedule.neighbours == 59);
  CHECK(schedule.admission_groups == 59);
  CHECK(schedule.first_token_groups == 59);
  CHECK(schedule.inversions == 0);
  CHECK(schedule.pairs > 1'000);
  CHECK(schedule.ticks > 20);
  CHECK(schedule.exact_ticks == schedule.ticks);

  const PredictionScore times = prediction_score(log, run, SimTime(2'000'000'000));
  CHECK(times.all.requests == 60);
  CHECK(times.early.requests + times.late.requests == 60);
  CHECK(times.early.requests > 0);
  CHECK(times.late.requests > 0);
  for (const PredictionErrors* part : {&times.all, &times.early, &times.late}) {
    CHECK(part->ttft.mean == 0.0);
    CHECK(part->tpot.p99 == 0.0);
    CHECK(part->e2e.mean == 0.0);
    CHECK(part->tpot_mape == 0.0);
  }
  CHECK(times.makespan == 0.0);
}

TEST_CASE("steps that take twice as long double every time, whatever the schedule") {
  const MadeEngine made(60, SimTime(1));  // all there from the start
  StepTimeCoefficients slow = true_prices();
  for (StepTerms* side : {&slow.decode, &slow.prefill})
    for (const auto& term : EnumNames<StepTerm>::table)
      (*side)[term.value] *= 2;
  const RunLog log = made.log(made.run(true_prices()));
  const PredictionScore times = prediction_score(log, made.run(slow), SimTime(0));
  CHECK(*times.all.ttft.mean == Approx(1).margin(1e-3));
  CHECK(*times.all.tpot.mean == Approx(1).margin(1e-3));
  CHECK(*times.all.e2e.p50 == Approx(1).margin(1e-3));
  CHECK(*times.all.tpot_mape == Approx(1).margin(1e-3));
  CHECK(*times.makespan == Approx(1).margin(1e-3));
  const ScheduleScore schedule = schedule_score(log, made.run(slow), log.meta.usable_blocks());
  CHECK(schedule.first_token_groups == schedule.neighbours);
}

TEST_CASE("each fault of a schedule shows in its own figure") {
  const MadeEngine made = engine();
  const SimulatedRun truth = made.run(true_prices());
  const RunLog log = log_with_ticks(made, truth);
  const auto score = [&](const SimulatedRun& run) {
    return schedule_score(log, run, log.meta.usable_blocks());
  };
  const ScheduleScore before = score(truth);

  SimulatedRun admission = truth;
  admission.requests[30].first_scheduled = static_cast<std::uint32_t>(truth.steps.size() - 1);
  admission.requests[31].first_scheduled = admission.requests[30].first_scheduled;
  CHECK(score(admission).admission_groups < before.admission_groups);
  CHECK(score(admission).first_token_groups == before.first_token_groups);

  SimulatedRun finish = truth;
  std::swap(finish.requests[0].last_token, finish.requests[59].last_token);
  CHECK(score(finish).inversions > 0);

  SimulatedRun blocks = truth;
  for (SimulatedStep& step : blocks.steps)
    step.used_blocks += 1;
  CHECK(score(blocks).exact_ticks == 0);
  SimulatedRun waiting = truth;
  for (SimulatedStep& step : waiting.steps)
    step.waiting += 1'000;
  CHECK(score(waiting).exact_ticks == 0);
}

TEST_CASE("counts of a schedule") {
  const MadeEngine made = engine();
  SimulatedRun run = made.run(true_prices());
  run.preemptions = 3;
  run.recomputed_tokens = 5;
  const ScheduleCounts counts = schedule_counts(run);
  CHECK(counts.steps == run.steps.size());
  CHECK(counts.prefill_steps > 0);
  CHECK(counts.prefill_steps < counts.steps);
  std::uint64_t prompts = 0;
  for (const MeasuredRequest& request : made.log(run).requests)
    prompts += request.prompt_tokens;
  CHECK(counts.prefill_tokens == prompts);
  CHECK(counts.preemptions == 3);
  CHECK(counts.recomputed_tokens == 5);
}
