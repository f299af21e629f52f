// SPDX-License-Identifier: Apache-2.0
// The clock of a serving run: arrivals, closed loops, gaps, cold start, caps. Steps take 1 ms.
#include <numeric>

#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// The most requests that waited or ran after a step was composed.
struct MostPresent final : Observer {
  void on_event(const Event& event) override {
    if (const auto* step = std::get_if<StepComposed>(&event))
      most = std::max(most, step->waiting + step->running);
  }
  std::uint32_t most = 0;
};

}  // namespace

TEST_CASE("a request is queued when a step ends, and its first token comes a step later") {
  ServingRun run(4, 100);
  run.add(4, 5);
  run.add(4, 2, SimTime(1'500'000));
  const Summary summary = run.run();
  CHECK(run.simulation().status() == RunStatus::completed);
  CHECK(summary.serving.completed == 2);
  CHECK(summary.serving.steps == 5);
  CHECK(run.times(0).first_token == ms(1));
  CHECK(run.times(0).last_token == ms(5));
  CHECK(run.times(1).queued == ms(2));
  CHECK(run.times(1).first_token == ms(3));
  CHECK(run.times(1).last_token == ms(4));
}

TEST_CASE("an idle engine waits for the next arrival") {
  for (const std::uint32_t in_flight : {1u, 2u}) {
    INFO(in_flight << " steps in flight");
    ServingRun run(4, 100);
    run.config.engine.steps_in_flight = in_flight;
    run.add(4, 2, ms(10));
    run.add(4, 2, ms(500));
    const Summary summary = run.run();
    CHECK(run.times(0).queued == ms(10));
    CHECK(run.times(0).last_token == ms(12));
    CHECK(run.times(1).queued == ms(500));
    CHECK(run.times(1).first_token == ms(501));
    CHECK(summary.run.virtual_time == ms(502));
    CHECK(summary.serving.steps == 4);
  }
}

TEST_CASE("with two steps in flight the loop reads an output while the next step runs") {
  ServingRun run(4, 100);
  run.config.engine.steps_in_flight = 2;
  run.add(4, 3);
  run.add(4, 1, SimTime(1));  // arrives when the first two steps are composed
  run.run();
  CHECK(run.times(0).first_token == ms(1));
  CHECK(run.times(0).last_token == ms(3));
  CHECK(run.times(1).queued == ms(1));
  CHECK(run.times(1).first_token == ms(3));  // in the third step, after the second
}

TEST_CASE("the cold start holds up the first step alone; who arrives meanwhile joins the second") {
  ServingRun run(4, 100);
  run.config.cold_start = ms(100);
  run.add(4, 2);
  run.add(4, 2, ms(50));
  run.run();
  CHECK(run.times(0).first_token == ms(101));
  CHECK(run.times(0).last_token == ms(102));
  CHECK(run.times(1).queued == ms(101));
  CHECK(run.times(1).first_token == ms(102));

  ServingRun two(4, 100);
  two.config.engine.steps_in_flight = 2;
  two.config.cold_start = ms(100);
  two.add(4, 2);
  two.add(4, 2, ms(50));
  two.run();
  CHECK(two.times(1).queued == ms(100));  // the loop composes the second step then
  CHECK(two.times(1).first_token == ms(102));
}

TEST_CASE("closed loop: all wait from the start, whatever the trace says") {
  ServingRun run(4, 100);
  run.config.arrivals = ArrivalRule::closed_loop;
  for (int i = 0; i < 10; ++i)
    run.add(4, 3, ms(1000 * i));
  MostPresent present;
  const Summary summary = run.run({&present});
  CHECK(present.most == 10);
  CHECK(summary.run.virtual_time == ms(3));
  for (std::uint32_t i = 0; i < 10; ++i) {
    CHECK(run.times(i).arrival == SimTime());
    CHECK(run.times(i).queued == SimTime());
  }
}

TEST_CASE("closed loop with concurrency: one comes when one is done") {
  for (const std::uint32_t in_flight : {1u, 2u}) {
    INFO(in_flight << " steps in flight");
    ServingRun run(4, 100);
    run.config.engine.steps_in_flight = in_flight;
    run.config.arrivals = ArrivalRule::closed_loop;
    run.config.concurrency = 3;
    for (std::uint32_t i = 0; i < 10; ++i)
      run.add(4, 2 + i % 3, ms(1000));
    MostPresent present;
    const Summary summary = run.run({&present});
    CHECK(summary.serving.completed == 10);
    CHECK(present.most == 3);
    for (std::uint32_t i = 3; i < 10; ++i) {
      // The first i - 2 that ended made room for it.
      std::uint32_t ended = 0;
      for (std::uint32_t j = 0; j < 10; ++j)
        ended += run.times(j).last_token <= run.times(i).queued;
      CHECK(ended >= i - 2);
      CHECK(run.times(i).arrival == run.times(i).queued);
    }
  }
}

TEST_CASE("closed loop: a rejected request makes room at once, whatever the trace's times") {
  ServingRun run(4, 4);
  run.config.arrivals = ArrivalRule::closed_loop;
  run.config.concurrency = 1;
  run.add(100, 1);
  run.add(4, 2, ms(60'000));
  const Summary summary = run.run();
  CHECK(summary.serving.rejected == 1);
  CHECK(summary.serving.completed == 1);
  CHECK(summary.run.virtual_time == ms(2));
}

TEST_CASE("rejected requests: the run goes on without them and ends as stopped") {
  ServingRun run(4, 4);
  run.add(4, 2);
  run.add(17, 1);
  run.add(4, 2);
  const Summary summary = run.run();
  CHECK(run.simulation().status() == RunStatus::stopped);
  CHECK_THAT(run.simulation().stop_reason(), Catch::Matchers::Contains("1 request was rejected"));
  CHECK(summary.serving.completed == 2);
  CHECK(summary.serving.rejected == 1);
  CHECK(run.simulation().requests_left() == 1);
  CHECK(run.kv().pool().held() == 0);
}

TEST_CASE("the cap on fruitless preemptions ends a run that makes no progress") {
  // Without a gate, request 1 takes chunk after chunk of the pool, is its own victim, and begins
  // anew, as long as request 0 decodes.
  const auto livelock = [](std::uint32_t most) {
    auto run = std::make_unique<ServingRun>(4, 20, "vllm-0.10.0");
    run->cache().prefix_caching = false;
    run->config.scheduler.max_num_batched_tokens = 9;
    run->config.caps.fruitless_preemptions = most;
    run->add(4, 60);
    run->add(72, 1);
    return run;
  };
  const auto stopped = livelock(2);
  const Summary summary = stopped->run();
  CHECK(stopped->simulation().status() == RunStatus::stopped);
  CHECK_THAT(stopped->simulation().stop_reason(),
             Catch::Matchers::Contains("request 1 was preempted 3 times between two"));
  CHECK(summary.serving.preemptions == 3);
  CHECK(stopped->times(1).output_tokens == 0);
  CHECK(stopped->simulation().requests_left() == 2);

  const auto patient = livelock(1000);
  patient->run();
  CHECK(patient->simulation().status() == RunStatus::completed);
  CHECK(patient->times(1).preemptions > 3);
}

TEST_CASE("preemptions with progress between them are no livelock") {
  ServingRun run(4, 8);
  run.config.caps.fruitless_preemptions = 1;
  for (int i = 0; i < 3; ++i)
    run.add(7, 17);
  run.run();
  CHECK(run.simulation().status() == RunStatus::completed);
  CHECK(run.times(2).preemptions >= 2);
}

TEST_CASE("the cap on virtual time stops a run with work left") {
  ServingRun run(4, 100);
  run.config.caps.virtual_time = ms(10);
  run.add(4, 100);
  const Summary summary = run.run();
  CHECK(run.simulation().status() == RunStatus::stopped);
  CHECK_THAT(run.simulation().stop_reason(), Catch::Matchers::Contains("of virtual time"));
  CHECK(summary.run.virtual_time == ms(10));
  CHECK(run.times(0).output_tokens == 10);

  ServingRun done(4, 100);
  done.config.caps.virtual_time = ms(10);
  done.add(4, 10);
  done.run();
  CHECK(done.simulation().status() == RunStatus::completed);
}

TEST_CASE("the cap on virtual time also ends the wait for an arrival") {
  ServingRun run(4, 100);
  run.config.caps.virtual_time = ms(10);
  run.add(4, 2);
  run.add(4, 2, ms(60'000));
  const Summary summary = run.run();
  CHECK(run.simulation().status() == RunStatus::stopped);
  CHECK(summary.run.virtual_time == ms(10));
  CHECK(summary.serving.completed == 1);
}

TEST_CASE("an empty trace is served at once") {
  ServingRun run(4, 100);
  const Summary summary = run.run();
  CHECK(run.simulation().status() == RunStatus::completed);
  CHECK(summary.run.virtual_time == SimTime());
}

TEST_CASE("a step takes as long as its work says, and steps in flight queue up") {
  for (const std::uint32_t in_flight : {1u, 2u}) {
    INFO(in_flight << " steps in flight");
    ServingRun run(4, 100);
    run.config.engine.steps_in_flight = in_flight;
    run.config.step_time = [](const Step& step) { return ms(step.scheduled[0].tokens); };
    run.add(20, 3);
    run.run();
    CHECK(run.times(0).first_token == ms(20));
    CHECK(run.times(0).last_token == ms(22));
  }
}

TEST_CASE("a request reads the slots of the tokens before its own") {
  ServingRun run(4, 100);
  run.config.scheduler.max_num_batched_tokens = 6;
  std::vector<std::uint32_t> contexts;
  run.config.step_time = [&](const Step& step) {
    contexts.push_back(step.scheduled[0].context);
    return millisecond;
  };
  run.add(10, 3);
  run.run();
  CHECK(contexts == std::vector<std::uint32_t>{0, 6, 10, 11});
}
