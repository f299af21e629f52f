// SPDX-License-Identifier: Apache-2.0
// Which rule of the scheduler shows in the measured run, and how: the table of rtx4090_run §4, one
// rule changed at a time. Prints the simulated rows beside the page's.
#include <catch2/catch.hpp>
#include <cmath>
#include <cstdio>

#include "sim/run_log/prediction_score.hpp"
#include "sim/run_log/schedule_score.hpp"
#include "tests/published/rtx4090_run.hpp"

using namespace vacancy;

namespace {

/// A row of the table; times in percent of the measured ones.
struct Row {
  std::uint64_t admission_groups, first_token_groups, ticks, preemptions;
  double ttft, tpot, makespan;
};

Row simulated_row(const test::MeasuredRun& run, const ServingConfig& config,
                  MeasuredArrival arrival = MeasuredArrival::arrived) {
  const SimulatedRun simulated =
      replay_log(run.log, run.workload, config, test::fitted_step_times(), arrival);
  const ScheduleScore schedule = schedule_score(run.log, simulated, run.log.meta.usable_blocks());
  const PredictionScore times = prediction_score(run.log, simulated, test::first_half);
  return {schedule.admission_groups,
          schedule.first_token_groups,
          schedule.exact_ticks,
          simulated.preemptions,
          100 * times.all.ttft.mean.value(),
          100 * times.all.tpot.mean.value(),
          100 * times.makespan.value()};
}

void print(const char* who, const Row& row) {
  std::printf(
      "  %-9s groups %3d, %3d  ticks %3d  preemptions %3d  TTFT %+7.2f  TPOT %+7.2f  "
      "makespan %+6.2f\n",
      who, static_cast<int>(row.admission_groups), static_cast<int>(row.first_token_groups),
      static_cast<int>(row.ticks), static_cast<int>(row.preemptions), row.ttft, row.tpot,
      row.makespan);
}

void print(const char* change, const Row& ours, const Row& page) {
  std::printf("%s\n", change);
  print("simulated", ours);
  print("page", page);
}

constexpr Row reference{299, 298, 153, 194, -0.24, -0.21, -0.18};

HashChainOptions& memory(ServingConfig& config) {
  return *config.engine.hash_chain;
}

struct Change {
  const char* name;
  void (*apply)(ServingConfig&);
  Row page;
  double rounding = 0.1;  // of the page's shifts and ours together, in points
  MeasuredArrival arrival = MeasuredArrival::arrived;
};

/// Preempted requests behind those that wait: the only row whose schedule depends on the times of
/// the first half minute, since arrivals join the same end of the queue. Step times that differ by
/// 0.1 % change its preemptions by a tenth, so only the direction is compared.
constexpr double direction_only = 0;

const Change changes[] = {
    {"preempted requests go to the back",
     [](ServingConfig& c) { c.scheduler.requeue = Requeue::back; },
     {192, 194, 4, 255, -39, +163, +3.4},
     direction_only},
    {"prompt and output reserved",
     [](ServingConfig& c) { memory(c).reserve_output = true; },
     {181, 194, 2, 0, +18, -20, +10.1},
     0.6},
    {"no prefix cache",
     [](ServingConfig& c) { memory(c).prefix_caching = false; },
     {224, 225, 22, 177, +4.0, +1.7, +2.8}},
    {"no lookup after a preemption",
     [](ServingConfig& c) { memory(c).lookup_after_preemption = false; },
     {237, 248, 36, 204, +3.1, +3.1, +2.9}},
    {"a table's head is freed first",
     [](ServingConfig& c) { memory(c).free_order = FreeOrder::append_forward; },
     {280, 278, 43, 185, +2.7, +2.4, +2.5}},
    {"the oldest request is preempted",
     [](ServingConfig& c) {
       c.scheduler.victim = Victim::oldest;
       c.scheduler.pass_keeps_place = false;  // the page's figures are of such a scheduler
     },
     {201, 214, 4, 161, +2.5, +1.4, -0.1}},
    {"watermark of 1 %",
     [](ServingConfig& c) { memory(c).watermark_blocks = 25; },
     {218, 222, 33, 119, -1.8, -2.3, -1.6}},
    {"no cold start",
     [](ServingConfig& c) { c.cold_start = SimTime(); },
     {228, 237, 40, 195, -0.7, -0.6, -0.7}},
    {"one step in flight",
     [](ServingConfig& c) { c.engine.steps_in_flight = 1; },
     {241, 241, 52, 194, -0.8, 0.0, -0.5}},
    {"2,588 usable blocks",
     [](ServingConfig& c) { memory(c).blocks = 2'588; },
     {261, 263, 74, 185, -0.5, -0.6, -0.4}},
    {"the token in flight is dropped",
     [](ServingConfig& c) { c.scheduler.keep_in_flight_token = false; },
     {257, 261, 75, 194, -0.2, 0.0, -0.2}},
    {"requests arrive when they are queued",
     [](ServingConfig&) {},
     {267, 276, 75, 187, -0.3, -0.2, -0.4},
     0.1,
     MeasuredArrival::queued},
    {"no gate for the whole sequence",
     [](ServingConfig& c) { memory(c).full_sequence_gate = false; },
     {250, 278, 112, 224, 0.0, +0.2, +0.2}},
    {"blocks without contents are reused first",
     [](ServingConfig& c) { memory(c).free_order = FreeOrder::uncached_first; },
     {296, 292, 133, 197, -0.3, -0.2, -0.1}},
    {"admission in a step that preempted",
     [](ServingConfig& c) { c.scheduler.admit_after_preemption = true; },
     {299, 298, 152, 199, -0.2, -0.2, -0.2}},
    {"one step beyond the end",
     [](ServingConfig& c) { c.scheduler.run_past_end = true; },
     {299, 298, 153, 194, -0.2, -0.2, -0.1}},
};

void check_shift(double ours, double page, double rounding) {
  if (rounding != direction_only) CHECK(ours == Approx(page).margin(rounding));
  if (std::abs(page) > 0.5) CHECK(ours * page > 0);
}

}  // namespace

TEST_CASE("each rule of the measured engine shows: the table of ablations") {
  const auto run = test::measured_run();
  if (!run) return;
  const Row ours = simulated_row(*run, run->config());
  print("as measured", ours, reference);
  for (const Change& change : changes) {
    INFO(change.name);
    const Row& page = change.page;
    ServingConfig config = run->config();
    change.apply(config);
    const Row row = simulated_row(*run, config, change.arrival);
    print(change.name, row, page);
    CHECK(static_cast<double>(row.preemptions) ==
          Approx(static_cast<double>(page.preemptions)).epsilon(0.1));
    if (change.rounding != direction_only) {
      CHECK(row.preemptions == page.preemptions);
      CHECK(row.admission_groups == page.admission_groups);
      CHECK(row.first_token_groups == page.first_token_groups);
    }
    CHECK(std::abs(static_cast<double>(row.ticks) - static_cast<double>(page.ticks)) <= 3);
    if (page.ticks < reference.ticks) CHECK(row.ticks < ours.ticks);
    check_shift(row.ttft - ours.ttft, page.ttft - reference.ttft, change.rounding);
    check_shift(row.tpot - ours.tpot, page.tpot - reference.tpot, change.rounding);
    check_shift(row.makespan - ours.makespan, page.makespan - reference.makespan, change.rounding);
  }
}

TEST_CASE("preempting the oldest: tokens come later only if others are passed over for it") {
  const auto run = test::measured_run();
  if (!run) return;
  const Row ours = simulated_row(*run, run->config());
  ServingConfig config = run->config();
  config.scheduler.victim = Victim::oldest;
  const Row row = simulated_row(*run, config);
  std::printf("the oldest request is preempted, and nobody is passed over\n");
  print("simulated", row);
  CHECK(row.ticks < ours.ticks);
  CHECK(row.ttft > ours.ttft);
  CHECK(row.tpot < ours.tpot);
}
