// SPDX-License-Identifier: Apache-2.0
// Rules V14 and V19–V23 of spec engines §1 with one step in flight.
#include "tests/support/scheduler_use.hpp"

using namespace vacancy;
using vacancy::test::pool_of;
using vacancy::test::SchedulerUse;
using Ids = SchedulerUse::Ids;
using Parts = SchedulerUse::Parts;

namespace {

SchedulerOptions budget(std::uint32_t tokens) {
  SchedulerOptions options;
  options.max_num_batched_tokens = tokens;
  return options;
}

SchedulerOptions by_priority(std::uint32_t tokens = 8192) {
  SchedulerOptions options = budget(tokens);
  options.policy = SchedulingPolicy::priority;
  return options;
}

}  // namespace

TEST_CASE("V19: running requests first, then waiting ones, until the budget is spent") {
  SchedulerUse use(pool_of(100), budget(10));
  use.add(6, 3);
  use.add(9, 3);
  use.add(2, 3);
  CHECK(use.parts(use.run()) == Parts{{0, 6}, {1, 4}});
  CHECK(use.parts(use.run()) == Parts{{0, 1}, {1, 5}, {2, 2}});
  CHECK(use.parts(use.run()) == Parts{{0, 1}, {1, 1}, {2, 1}});
  use.run_to_the_end();
}

TEST_CASE("V19: at most max_num_seqs run") {
  SchedulerOptions options;
  options.max_num_seqs = 2;
  SchedulerUse use(pool_of(100), options);
  for (int i = 0; i < 3; ++i)
    use.add(4, 2);
  use.run();
  CHECK(use.running() == Ids{0, 1});
  CHECK(use.ids(use.run().finished) == Ids{0, 1});
  CHECK(use.parts(use.run()) == Parts{{2, 4}});
  use.run_to_the_end();
}

TEST_CASE("V19: the first that finds no room stops the others, even smaller ones") {
  SchedulerUse use(pool_of(6), {});
  use.add(12, 3);
  use.add(16, 3);
  use.add(4, 3);
  CHECK(use.parts(use.run()) == Parts{{0, 12}});
  CHECK(use.lookups.size() == 2);
  use.run_to_the_end();
}

TEST_CASE("V19: nobody is admitted in a step that preempted") {
  SchedulerUse use(pool_of(4), {});
  use.add(7, 9);
  use.add(7, 9);
  use.run();
  use.run();  // both are at 8 tokens, the pool is full
  use.add(1, 1);
  const Step step = use.run();
  CHECK(use.ids(step.preempted) == Ids{1});
  CHECK(use.parts(step) == Parts{{0, 1}});
  CHECK(use.manager.free_blocks() == 1);
  use.run_to_the_end();
}

TEST_CASE("V20, V21: the last of the running list goes, to the front of those that wait") {
  SchedulerUse use(pool_of(6), {});
  for (int i = 0; i < 3; ++i)
    use.add(7, 5);
  use.add(4, 2);
  use.run();
  CHECK(use.running() == Ids{0, 1, 2});
  use.run();
  const Step step = use.run();
  CHECK(use.ids(step.preempted) == Ids{2});
  CHECK(use.parts(step) == Parts{{0, 1}, {1, 1}});
  // Request 3 waited first, and still comes after it.
  use.run_to_the_end();
  REQUIRE(use.admissions.size() == 5);
  CHECK(use.admissions[3].sequence == SequenceId(2));
  CHECK(use.admissions[3].again);
  CHECK(use.admissions[4].sequence == SequenceId(3));
  CHECK_FALSE(use.admissions[4].again);
}

TEST_CASE("V20: a request that is itself the last gives way, and the pass ends") {
  SchedulerUse use(pool_of(4), {});
  use.add(7, 6);
  use.add(8, 6);
  CHECK(use.parts(use.run()) == Parts{{0, 7}, {1, 8}});
  const Step step = use.run();
  CHECK(use.ids(step.preempted) == Ids{1});
  CHECK(use.parts(step) == Parts{{0, 1}});
  CHECK(use.manager.free_blocks() == 2);
  use.run_to_the_end();
}

// Request 0 has the lowest priority, runs first in the list and is scheduled before request 1 finds
// no block.
TEST_CASE("V20: a victim that was scheduled in this step gives its budget and output back") {
  HashChainOptions memory = pool_of(9);
  memory.full_sequence_gate = false;
  SchedulerUse use(memory, by_priority(8));
  use.add(17, 6, 5);
  use.run();
  use.run();
  use.add(7, 3, 0);
  CHECK(use.parts(use.run()) == Parts{{0, 1}, {1, 7}});
  use.add(30, 1, 1);
  CHECK(use.parts(use.run()) == Parts{{0, 1}, {1, 1}, {2, 6}});
  CHECK(use.manager.free_blocks() == 0);

  const std::uint32_t before = use.produced[0];
  const Step step = use.run();
  CHECK(use.ids(step.preempted) == Ids{0});
  CHECK(use.parts(step) == Parts{{1, 1}, {2, 7}});
  CHECK(use.produced[0] == before);
  CHECK(use.produced[1] == 3);
  use.run_to_the_end();
}

TEST_CASE("V20: with priorities the request itself may be the victim, though others follow it") {
  SchedulerUse use(pool_of(4), by_priority());
  use.add(7, 9, 3);
  use.run();
  use.add(7, 2, 1);
  use.run();  // request 0 has 8 tokens now, request 1 has 7
  const Step step = use.run();
  CHECK(use.ids(step.preempted) == Ids{0});
  CHECK(step.scheduled.empty());
  // The pass ended, so request 1 goes on in the next step.
  CHECK(use.parts(use.run()) == Parts{{1, 1}});
  use.run_to_the_end();
}

TEST_CASE("V20: of equal priorities the one that arrived last goes") {
  SchedulerUse use(pool_of(6), by_priority());
  use.add(7, 9, 1, SimTime(5));
  use.add(7, 9, 1, SimTime(9));
  use.add(7, 9, 1, SimTime(7));
  use.run();
  CHECK(use.running() == Ids{0, 2, 1});
  use.run();
  CHECK(use.ids(use.run().preempted) == Ids{1});
  use.run_to_the_end();
}

TEST_CASE("priority: who waits is admitted by rank, and preempted ones return to theirs") {
  SchedulerOptions options = by_priority();
  options.max_num_seqs = 1;
  SchedulerUse use(pool_of(20), options);
  use.add(4, 1, 3);
  use.add(4, 1, -2);
  use.add(4, 1, 0);
  use.add(4, 1, 0);
  use.run_to_the_end();
  Ids order;
  for (const RequestAdmitted& admission : use.admissions)
    order.push_back(admission.sequence.value());
  CHECK(order == Ids{1, 2, 3, 0});
}

TEST_CASE("V21: a preempted request finds what is left of its blocks and computes the rest anew") {
  SchedulerUse use(pool_of(4), {});
  use.add(7, 5);
  use.add(7, 9);
  use.run();
  use.run();
  CHECK(use.ids(use.run().preempted) == Ids{1});  // request 0 takes the second of its two blocks
  Step step;
  while (use.admissions.size() < 3)
    step = use.run();
  const RequestAdmitted& again = use.admissions[2];
  CHECK(again.sequence == SequenceId(1));
  CHECK(again.again);
  CHECK(again.known == 9);  // the prompt and two output tokens
  CHECK(again.hit == 4);
  REQUIRE(step.scheduled.size() == 1);
  CHECK(step.scheduled[0].tokens == 5);
  CHECK(step.scheduled[0].recomputed == 4);  // the fifth was never computed before
  use.run_to_the_end();
}

TEST_CASE("V14: a running request never looks up again; V23: failed lookups are reported, too") {
  SchedulerUse use(pool_of(4), budget(4));
  use.add(12, 3);
  use.add(8, 3);
  for (int i = 0; i < 4; ++i)
    use.run();
  std::uint32_t first = 0, second = 0;
  for (const PrefixLookedUp& lookup : use.lookups)
    ++(lookup.sequence == SequenceId(0) ? first : second);
  CHECK(first == 1);
  CHECK(second >= 1);
  CHECK(use.admissions.size() == 1);
  use.run_to_the_end();
}

TEST_CASE("a prompt that could never fit is rejected, and those behind it go on") {
  SchedulerUse use(pool_of(4), {});
  use.add(17, 1);
  use.add(4, 2);
  CHECK(use.parts(use.run()) == Parts{{1, 4}});
  CHECK(use.rejected == std::set<std::uint32_t>{0});
  use.run_to_the_end();
  CHECK(use.scheduler.rejected() == 1);
}

TEST_CASE("a request that outgrows the pool is rejected once it is alone in it") {
  SchedulerUse use(pool_of(4), {});
  use.add(7, 30);
  use.add(7, 3);
  use.run_to_the_end();
  CHECK(use.rejected == std::set<std::uint32_t>{0});
  CHECK(use.produced[0] == 10);  // with the prompt, and with each of the nine tokens that fit
  CHECK(use.produced[1] == 3);
}

TEST_CASE("without chunked prefill a prompt waits for a step that is its own") {
  SchedulerOptions options = budget(8);
  options.chunked_prefill = false;
  SchedulerUse use(pool_of(40), options);
  use.add(5, 3);
  use.add(6, 2);
  use.add(20, 2);  // longer than any budget
  CHECK(use.parts(use.run()) == Parts{{0, 5}});
  CHECK(use.parts(use.run()) == Parts{{0, 1}, {1, 6}});
  use.run_to_the_end();
  CHECK(use.produced[2] == 2);
}
