// SPDX-License-Identifier: Apache-2.0
// Asynchronous scheduling (spec rtx4090_run §2): the next step is composed before the output of the
// present one is known.
#include "tests/support/scheduler_use.hpp"

using namespace vacancy;
using vacancy::test::pool_of;
using vacancy::test::SchedulerUse;
using Ids = SchedulerUse::Ids;
using Parts = SchedulerUse::Parts;

namespace {

HashChainOptions appending_pool(std::uint32_t blocks) {
  HashChainOptions options = pool_of(blocks);
  options.free_order = FreeOrder::append;
  return options;
}

}  // namespace

TEST_CASE("the next token is computed while the one before it is in flight") {
  SchedulerUse use(appending_pool(10), {});
  use.add(4, 3);
  CHECK(use.parts(use.compose()) == Parts{{0, 4}});
  CHECK(use.parts(use.compose()) == Parts{{0, 1}});
  CHECK(use.produced[0] == 0);
  use.complete();
  CHECK(use.produced[0] == 1);
  CHECK(use.parts(use.compose()) == Parts{{0, 1}});
  CHECK(use.manager.used_blocks() == 2);
  use.run_to_the_end(2);
}

TEST_CASE("a request whose last token is in flight is passed over and keeps its blocks") {
  SchedulerUse use(appending_pool(3), {});
  use.add(4, 1);
  use.add(8, 2);
  CHECK(use.parts(use.compose()) == Parts{{0, 4}, {1, 8}});
  CHECK(use.manager.free_blocks() == 0);
  // Request 0 is done, but nobody knows yet: request 1 finds no block for its ninth token.
  const Step& second = use.compose();
  CHECK(use.ids(second.preempted) == Ids{1});
  CHECK(second.scheduled.empty());
  CHECK(use.running() == Ids{0});
  CHECK(use.manager.used_blocks() == 1);
  CHECK(use.ids(use.complete().finished) == Ids{0});
  CHECK(use.manager.used_blocks() == 0);
  use.run_to_the_end(2);
}

TEST_CASE("a preempted request keeps the token that is in flight") {
  SchedulerUse use(appending_pool(4), {});
  use.add(8, 9);
  use.add(7, 9);
  use.compose();
  const Step& second = use.compose();  // request 0 needs a third block
  CHECK(use.ids(second.preempted) == Ids{1});
  CHECK(use.parts(second) == Parts{{0, 1}});
  use.complete();
  CHECK(use.produced[1] == 1);
  use.run_to_the_end(2);
  for (const RequestAdmitted& admission : use.admissions)
    if (admission.again) {
      CHECK(admission.sequence == SequenceId(1));
      CHECK(admission.known == 8);  // the prompt and the token that was in flight
      break;
    }
}

TEST_CASE("a request may end while it waits: its last token was in flight when it was preempted") {
  SchedulerUse use(appending_pool(4), {});
  use.add(8, 3);
  use.add(7, 1);
  use.compose();
  const Step& second = use.compose();
  CHECK(use.ids(second.preempted) == Ids{1});
  CHECK(use.scheduler.waiting() == 1);
  CHECK(use.ids(use.complete().finished) == Ids{1});
  CHECK(use.scheduler.waiting() == 0);
  CHECK(use.produced[1] == 1);
  use.run_to_the_end(2);
  CHECK(use.admissions.size() == 2);
}

TEST_CASE("a victim scheduled in this step takes back this step's output, not the one in flight") {
  SchedulerOptions options;
  options.policy = SchedulingPolicy::priority;
  SchedulerUse use(appending_pool(4), options);
  use.add(6, 9, 5);
  use.compose();
  use.add(8, 9, 0);
  const Step& second = use.compose();
  CHECK(use.parts(second) == Parts{{0, 1}, {1, 8}});
  use.complete();
  const Step& third =
      use.compose();  // request 0 gets its eighth slot, request 1 none for its ninth
  CHECK(use.ids(third.preempted) == Ids{0});
  CHECK(use.parts(third) == Parts{{1, 1}});
  use.complete();
  CHECK(use.produced[0] == 2);
  CHECK(use.produced[1] == 1);
  use.run_to_the_end(2);
}

TEST_CASE("a request that is rejected takes no output from the step in flight") {
  SchedulerUse use(appending_pool(2), {});
  use.add(8, 5);
  use.compose();
  CHECK(use.compose().scheduled.empty());
  CHECK(use.rejected == std::set<std::uint32_t>{0});
  CHECK(use.complete().finished.empty());
  CHECK(use.scheduler.idle());
  CHECK(use.produced[0] == 0);
}
