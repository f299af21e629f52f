// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/stamp_intervals.hpp"

using namespace vacancy;

namespace {

/// Steps of 10 with a pause of 5 before step 6.
SimulatedRun steps(std::uint32_t count) {
  SimulatedRun run;
  SimTime now;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (i == 6) now += SimTime(5);
    SimulatedStep step;
    step.begin = now;
    step.end = now = now + SimTime(10);
    run.steps.push_back(step);
  }
  return run;
}

struct Builder {
  SimulatedRun run = steps(20);
  RunLog log;

  Builder& request(std::int64_t first_time, std::uint32_t first_step, std::int64_t last_time,
                   std::uint32_t last_step) {
    MeasuredRequest measured;
    measured.first_token = SimTime(first_time);
    measured.last_token = SimTime(last_time);
    log.requests.push_back(measured);
    SimulatedRequest simulated;
    simulated.first_token = first_step;
    simulated.last_token = last_step;
    run.requests.push_back(simulated);
    return *this;
  }
};

}  // namespace

TEST_CASE("an interval holds the steps between its stamps; the first one is left out") {
  Builder made;
  made.request(100, 0, 200, 1).request(250, 3, 400, 8);
  const auto intervals = stamp_intervals(made.log, made.run);
  REQUIRE(intervals.size() == 2);
  CHECK(intervals[0].from == SimTime(200));
  CHECK(intervals[0].to == SimTime(250));
  CHECK(intervals[0].first_step == 2);
  CHECK(intervals[0].last_step == 3);
  CHECK(intervals[0].idle == SimTime(0));
  CHECK(intervals[1].first_step == 4);
  CHECK(intervals[1].last_step == 8);
  CHECK(intervals[1].idle == SimTime(5));
}

TEST_CASE("requests that share a stamp give one; where their steps differ, most decide") {
  Builder made;
  made.request(100, 0, 200, 1)
      .request(300, 5, 400, 9)
      .request(300, 5, 500, 10)
      .request(300, 7, 600, 11);
  const auto intervals = stamp_intervals(made.log, made.run);
  REQUIRE(intervals.size() == 4);
  CHECK(intervals[0].to == SimTime(300));
  CHECK(intervals[0].last_step == 5);
  CHECK(intervals[1].first_step == 6);
}

TEST_CASE("stamps that the simulation has in one step or in reverse make no interval") {
  Builder made;
  made.request(100, 0, 200, 1).request(300, 4, 400, 4).request(500, 3, 600, 9);
  const auto intervals = stamp_intervals(made.log, made.run);
  REQUIRE(intervals.size() == 2);
  CHECK(intervals[0].to == SimTime(300));
  CHECK(intervals[1].from == SimTime(500));
  CHECK(intervals[1].first_step == 4);
}

TEST_CASE("what the simulation never reached has no stamp") {
  Builder made;
  made.request(100, 0, 200, 1).request(300, 4, 400, no_step);
  CHECK(stamp_intervals(made.log, made.run).size() == 1);
}
