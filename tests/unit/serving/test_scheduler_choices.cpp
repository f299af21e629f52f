// SPDX-License-Identifier: Apache-2.0
// The rules by which schedulers differ, each against the default, on blocks of 4 tokens.
#include <catch2/catch.hpp>
#include <deque>

#include "sim/serving/scheduler.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "tests/support/scheduler_use.hpp"

using namespace vacancy;
using vacancy::test::pool_of;

namespace {

using Ids = std::vector<std::uint32_t>;

class Engine final : public Observer {
 public:
  Engine(const SchedulerOptions& options, const HashChainOptions& memory)
      : manager_(memory, Bytes(), *this), scheduler_(options, manager_, *this) {}

  void add(std::uint32_t prompt, std::uint32_t output, std::int32_t priority = 0) {
    Request request;
    request.id = SequenceId(requests_++);
    request.prompt_tokens = prompt;
    request.output_tokens = output;
    request.priority = priority;
    scheduler_.add(std::move(request));
  }
  Step compose() {
    Step step;
    scheduler_.compose(step);
    return step;
  }
  void complete(Step step) { scheduler_.complete(step); }
  /// With one step in flight.
  Step step() {
    Step step = compose();
    scheduler_.complete(step);
    return step;
  }
  /// The third step of two requests in a pool of four blocks: the first of them finds no block for
  /// its ninth token.
  Step third_step() {
    step();
    step();
    return step();
  }
  bool idle() const { return scheduler_.idle(); }

  std::uint32_t preemptions = 0, outputs = 0;
  std::deque<RequestAdmitted> readmissions;

 private:
  void on_event(const Event& event) override {
    if (std::holds_alternative<SequencePreempted>(event)) ++preemptions;
    if (const auto* done = std::get_if<StepCompleted>(&event))
      outputs += static_cast<std::uint32_t>(done->produced.size());
    if (const auto* admitted = std::get_if<RequestAdmitted>(&event); admitted && admitted->again)
      readmissions.push_back(*admitted);
  }

  std::uint32_t requests_ = 0;
  HashChainManager manager_;
  Scheduler scheduler_;
};

Ids preempted(const Step& step) {
  Ids ids;
  for (const SequenceId id : step.preempted)
    ids.push_back(id.value());
  return ids;
}

Ids scheduled(const Step& step) {
  Ids ids;
  for (const ScheduledTokens& part : step.scheduled)
    ids.push_back(part.sequence.value());
  return ids;
}

}  // namespace

TEST_CASE("a preempted request is admitted before those that waited, or after them") {
  for (const Requeue requeue : {Requeue::front, Requeue::back}) {
    SchedulerOptions options;
    options.requeue = requeue;
    Engine engine(options, pool_of(4));
    engine.add(7, 6);
    engine.add(7, 6);
    engine.add(3, 1);
    CHECK(preempted(engine.third_step()) == Ids{1});
    // One block is free: enough for the third request, not for the preempted one.
    CHECK(scheduled(engine.step()) == (requeue == Requeue::front ? Ids{0} : Ids{0, 2}));
  }
}

TEST_CASE("a step that preempted admits nobody, unless it may") {
  for (const bool may : {false, true}) {
    SchedulerOptions options;
    options.requeue = Requeue::back;
    options.admit_after_preemption = may;
    Engine engine(options, pool_of(4));
    engine.add(7, 6);
    engine.add(7, 6);
    engine.add(3, 1);
    const Step step = engine.third_step();
    CHECK(preempted(step) == Ids{1});
    CHECK(scheduled(step) == (may ? Ids{0, 2} : Ids{0}));
  }
}

TEST_CASE("the newest, the oldest or the least important request gives way") {
  const auto victim = [](SchedulingPolicy policy, std::optional<Victim> choice) {
    SchedulerOptions options;
    options.policy = policy;
    options.victim = choice;
    Engine engine(options, pool_of(6));
    engine.add(7, 6, 1);
    engine.add(7, 6, 2);
    engine.add(7, 6, 1);
    return preempted(engine.third_step());
  };
  CHECK(victim(SchedulingPolicy::fcfs, {}) == Ids{2});
  CHECK(victim(SchedulingPolicy::fcfs, Victim::oldest) == Ids{0});
  CHECK(victim(SchedulingPolicy::fcfs, Victim::lowest_priority) == Ids{1});
  CHECK(victim(SchedulingPolicy::priority, {}) == Ids{1});
  CHECK(victim(SchedulingPolicy::priority, Victim::oldest) == Ids{0});
}

TEST_CASE("when a request scheduled before gives way, the next one has its turn, or loses it") {
  for (const bool keeps : {true, false}) {
    SchedulerOptions options;
    options.victim = Victim::oldest;
    options.pass_keeps_place = keeps;
    Engine engine(options, pool_of(7));
    for (int i = 0; i < 3; ++i)
      engine.add(7, 6);
    // The first request takes the last block, the second finds none.
    const Step step = engine.third_step();
    CHECK(preempted(step) == Ids{0});
    CHECK(scheduled(step) == (keeps ? Ids{1, 2} : Ids{1}));
  }
}

TEST_CASE("a preempted request finds its own blocks, unless it may not look") {
  for (const bool looks : {true, false}) {
    HashChainOptions memory = pool_of(4);
    memory.lookup_after_preemption = looks;
    Engine engine({}, memory);
    engine.add(7, 3);
    engine.add(7, 3);
    engine.third_step();
    engine.step();
    REQUIRE(engine.readmissions.size() == 1);
    // Its second block went to the first request.
    CHECK(engine.readmissions.front().hit == (looks ? 4u : 0u));
  }
}

TEST_CASE("with prompt and output reserved nothing is preempted, and fewer run") {
  for (const bool reserve : {false, true}) {
    HashChainOptions memory = pool_of(6);
    memory.reserve_output = reserve;
    Engine engine({}, memory);
    for (int i = 0; i < 4; ++i)
      engine.add(7, 5);  // 2 blocks at first, 3 in the end
    CHECK(scheduled(engine.step()) == (reserve ? Ids{0, 1} : Ids{0, 1, 2}));
    while (!engine.idle())
      engine.step();
    CHECK(engine.outputs == 20);
    CHECK((engine.preemptions == 0) == reserve);
  }
}

TEST_CASE("a preempted request keeps the token in flight, or computes it again") {
  for (const bool keep : {true, false}) {
    SchedulerOptions options;
    options.keep_in_flight_token = keep;
    Engine engine(options, pool_of(4));
    engine.add(7, 4);
    engine.add(7, 4);
    Step older = engine.compose();
    while (!engine.idle()) {
      Step newer = engine.compose();
      engine.complete(std::move(older));
      older = std::move(newer);
    }
    CHECK(engine.preemptions == 1);
    CHECK(engine.outputs == 8);
    REQUIRE(engine.readmissions.size() == 1);
    CHECK(engine.readmissions.front().known == (keep ? 9u : 8u));
  }
}

TEST_CASE("a request whose last token is in flight is passed over, or runs once more in vain") {
  for (const bool run : {false, true}) {
    SchedulerOptions options;
    options.run_past_end = run;
    Engine engine(options, pool_of(4));
    engine.add(3, 2);
    Step prefill = engine.compose(), last = engine.compose();
    engine.complete(std::move(prefill));
    Step beyond = engine.compose();
    CHECK(scheduled(beyond) == (run ? Ids{0} : Ids{}));
    engine.complete(std::move(last));
    CHECK(engine.idle());
    engine.complete(std::move(beyond));
    CHECK(engine.outputs == 2);
  }
}

TEST_CASE("a request that is swapped out goes on where it was, and computes nothing twice") {
  SchedulerOptions options;
  options.preemption = Preemption::swap;
  options.swap_blocks = 2;
  Engine engine(options, pool_of(4));
  engine.add(7, 6);
  engine.add(7, 6);
  const Step third = engine.third_step();
  CHECK(preempted(third) == Ids{1});
  CHECK(third.swapped_blocks == 2);  // 7 + 1 tokens in blocks of 4
  std::uint32_t tokens = 14 + 2 + 1, back = 0;
  while (!engine.idle()) {
    const Step step = engine.step();
    back += step.swapped_blocks;
    for (const ScheduledTokens& part : step.scheduled) {
      tokens += part.tokens;
      CHECK(part.recomputed == 0);
    }
  }
  CHECK(back == 2);
  CHECK(engine.outputs == 12);
  CHECK(tokens == 24);  // of each request all but the last token, once
  REQUIRE(engine.readmissions.size() == 1);
  CHECK(engine.readmissions[0].restored == 8);
  CHECK(engine.readmissions[0].hit == 0);
}

TEST_CASE("a request for which the host has no room is computed again") {
  SchedulerOptions options;
  options.preemption = Preemption::swap;
  options.swap_blocks = 1;
  Engine engine(options, pool_of(4));
  engine.add(7, 6);
  engine.add(7, 6);
  CHECK(engine.third_step().swapped_blocks == 0);
  std::uint32_t recomputed = 0;
  while (!engine.idle())
    for (const ScheduledTokens& part : engine.step().scheduled)
      recomputed += part.recomputed;
  CHECK(engine.outputs == 12);
  CHECK(recomputed > 0);
  CHECK(engine.readmissions[0].restored == 0);
}
