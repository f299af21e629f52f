// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "sim/run_log/run_recorder.hpp"

using namespace vacancy;

namespace {

constexpr SequenceId request_a{0}, request_b{1};

/// Two steps in flight: request_a prefills and decodes, request_b comes, request_a is preempted and
/// finishes.
struct Recorded {
  std::uint32_t used = 0;
  RunRecorder recorder{[this] { return used; }};

  void event(const Event& event) { recorder.on_event(event); }
  void clock(std::int64_t now) { event(ClockAdvanced{SimTime(now)}); }
  void compose(std::uint64_t step, std::vector<ScheduledTokens> parts) {
    event(StepComposed{step, parts, 0, 0});
  }
  void complete(std::uint64_t step, std::vector<SequenceId> produced) {
    event(StepCompleted{step, produced});
  }
};

}  // namespace

TEST_CASE("steps, stamps and idle time are told from the events of two steps in flight") {
  Recorded r;
  r.event(RequestQueued{request_a, SimTime(-5), 100, 2});
  r.event(RequestAdmitted{request_a, 100, 16, false});
  r.compose(0, {{request_a, 16, 84, 0, true}});
  r.compose(1, {{request_a, 100, 1, 0, true}});
  r.clock(50);
  r.complete(0, {request_a});
  r.compose(2, {});  // nothing left to run: no step
  r.clock(60);
  r.complete(1, {request_a});
  r.event(SequenceCompleted{request_a});
  r.clock(100);
  r.event(RequestQueued{request_b, SimTime(90), 10, 1});
  r.event(RequestAdmitted{request_b, 10, 0, false});
  r.compose(3, {{request_b, 0, 10, 0, true}});
  r.clock(130);
  r.complete(3, {request_b});

  const SimulatedRun& run = r.recorder.run();
  REQUIRE(run.steps.size() == 3);
  CHECK(run.steps[0].work.prefill_tokens == 84);
  CHECK(run.steps[0].begin == SimTime(0));
  CHECK(run.steps[0].end == SimTime(50));
  CHECK(run.steps[1].composed == SimTime(0));
  CHECK(run.steps[1].begin == SimTime(50));  // composed earlier, but the engine was busy
  CHECK(run.steps[1].work.decodes == 1);
  CHECK(run.steps[1].work.decode_context == 101);
  CHECK(run.steps[2].begin == SimTime(100));  // the engine stood idle
  REQUIRE(run.requests.size() == 2);
  CHECK(run.requests[0].queued == SimTime(0));
  CHECK(run.requests[0].first_scheduled == 0);
  CHECK(run.requests[0].first_token == 0);
  CHECK(run.requests[0].last_token == 1);
  CHECK(run.requests[1].queued == SimTime(100));
  CHECK(run.requests[1].first_token == 2);
  CHECK(run.hit_tokens_first_admission == 16);
}

TEST_CASE("gauges are those after an output was processed, before the next step is composed") {
  Recorded r;
  r.event(RequestQueued{request_a, SimTime(0), 10, 1});
  r.event(RequestAdmitted{request_a, 10, 0, false});
  r.used = 1;
  r.compose(0, {{request_a, 0, 10, 0, true}});
  r.clock(10);
  r.complete(0, {request_a});
  r.event(SequenceCompleted{request_a});
  r.used = 0;
  r.event(SequenceFinished{request_a});
  // What follows belongs to the next step's gauges.
  r.event(RequestQueued{request_b, SimTime(5), 10, 1});
  r.event(RequestAdmitted{request_b, 10, 0, false});
  r.used = 7;
  r.compose(1, {{request_b, 0, 10, 0, true}});
  r.clock(20);
  r.complete(1, {request_b});
  const SimulatedRun& run = r.recorder.run();
  CHECK(run.steps[0].running == 0);
  CHECK(run.steps[0].waiting == 0);
  CHECK(run.steps[0].used_blocks == 0);
  CHECK(run.steps[1].running == 1);
  CHECK(run.steps[1].used_blocks == 7);
}

TEST_CASE("preemptions, recomputed tokens and hits at re-admission are counted apart") {
  Recorded r;
  r.event(RequestQueued{request_a, SimTime(0), 10, 3});
  r.event(RequestAdmitted{request_a, 10, 0, false});
  r.compose(0, {{request_a, 0, 10, 0, true}});
  r.clock(10);
  r.complete(0, {request_a});
  r.event(SequencePreempted{request_a});
  r.compose(1, {});
  r.event(RequestAdmitted{request_a, 11, 4, true});
  r.compose(2, {{request_a, 4, 7, 6, true}});
  r.clock(20);
  r.complete(2, {request_a});
  const SimulatedRun& run = r.recorder.run();
  CHECK(run.preemptions == 1);
  CHECK(run.recomputed_tokens == 6);
  CHECK(run.hit_tokens_first_admission == 0);
  CHECK(run.hit_tokens_readmission == 4);
  CHECK(run.requests[0].first_scheduled == 0);
  CHECK(run.requests[0].first_token == 0);
  CHECK(run.requests[0].last_token == 1);
  CHECK(run.steps[1].running == 1);
}
