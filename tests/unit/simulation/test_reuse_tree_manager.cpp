// SPDX-License-Identifier: Apache-2.0
// TensorRT-LLM under continuous batching: rules T5, T9 and T13 of spec engines. What runs at which
// step is that of cpp/tests/unit_tests/batch_manager/capacitySchedulerTest.cpp.
#include "sim/serving/engine_profile.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct TrtllmEngine {
  explicit TrtllmEngine(std::uint32_t blocks, CapacityPolicy capacity = {},
                        std::uint32_t budget = 8192, bool reuse = true)
      : manager({10, one_pool(blocks), reuse, capacity}, seen),
        run(options(budget), manager, seen) {}

  static SchedulerOptions options(std::uint32_t budget) {
    SchedulerOptions options = find_engine_profile("trtllm-2026-08")->scheduler;
    options.max_num_batched_tokens = budget;
    options.chunk_unit = 10;
    return options;
  }
  /// From which step on which requests run.
  using Phases = std::vector<std::pair<std::uint32_t, Ids>>;
  Phases phases() {
    Phases phases;
    for (std::uint32_t step = 0; run.scheduler.unfinished() > 0; ++step) {
      run.advance();
      REQUIRE_FALSE(manager.tree().find_fault());
      if (phases.empty() || phases.back().second != run.scheduled())
        phases.emplace_back(step, run.scheduled());
    }
    return phases;
  }

  Counting seen;
  ReuseTreeManager manager;
  EngineRun run;
};

using Phases = TrtllmEngine::Phases;

/// The last token of a prompt is not in the tree when its context is stored.
Request longer_by_one(Request request) {
  ++request.prompt_tokens;
  return request;
}

}  // namespace

TEST_CASE("T13: GUARANTEED_NO_EVICT reserves prompt and output of all that run") {
  TrtllmEngine engine(10);
  engine.run.scheduler.add(plain(0, 10, 80));
  engine.run.scheduler.add(plain(1, 10, 80));
  CHECK(engine.phases() == Phases{{0, {0}}, {80, {1}}});
  CHECK(engine.seen.preempted == 0);
}

TEST_CASE("T13: … and stops at the first that does not fit, though a smaller one behind would") {
  TrtllmEngine engine(10);
  engine.run.scheduler.add(plain(0, 10, 40));
  engine.run.scheduler.add(plain(1, 10, 80));
  engine.run.scheduler.add(plain(2, 10, 10));
  CHECK(engine.phases() == Phases{{0, {0}}, {40, {1}}, {120, {2}}});
}

TEST_CASE("T13: MAX_UTILIZATION pauses the request that started last") {
  TrtllmEngine engine(10, CapacityPolicy::max_utilization, 8192, false);
  engine.run.scheduler.add(plain(0, 10, 80));
  engine.run.scheduler.add(plain(1, 10, 80));
  CHECK(engine.phases() == Phases{{0, {0, 1}}, {41, {0}}, {80, {1}}});
  CHECK(engine.seen.preempted == 1);
}

TEST_CASE("T13: a paused request finds what it had computed") {
  TrtllmEngine engine(10, CapacityPolicy::max_utilization);
  engine.run.scheduler.add(plain(0, 10, 60));
  engine.run.scheduler.add(plain(1, 10, 60));
  engine.phases();
  CHECK(engine.seen.preempted == 1);
  CHECK(engine.seen.hits.size() == 3);
  CHECK(engine.seen.hits.back() > 0);
}

TEST_CASE("T13: STATIC_BATCH admits only when nothing decodes") {
  TrtllmEngine engine(20, CapacityPolicy::static_batch);
  engine.run.scheduler.add(plain(0, 10, 80));
  engine.run.scheduler.add(plain(1, 10, 40));
  engine.run.advance();
  engine.run.scheduler.add(plain(2, 10, 80));
  CHECK(engine.phases() == Phases{{0, {0, 1}}, {39, {0}}, {79, {2}}});
}

TEST_CASE("T13: a request waits for blocks that another is creating") {
  for (const auto capacity :
       {CapacityPolicy::guaranteed_no_evict, CapacityPolicy::max_utilization}) {
    TrtllmEngine engine(30, capacity);
    for (const std::uint32_t id : {0u, 1u, 2u})
      engine.run.scheduler.add(longer_by_one(keyed(id, {1, 2}, 10, 2)));
    engine.run.scheduler.add(longer_by_one(keyed(3, {5, 6}, 10, 2)));  // not held up
    CHECK(engine.phases() == Phases{{0, {0, 3}}, {1, {0, 3, 1, 2}}, {2, {1, 2}}});
    CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 0, 20, 20});
  }
}

TEST_CASE("T13: STATIC_BATCH passes nobody over") {
  TrtllmEngine engine(30, CapacityPolicy::static_batch);
  for (const std::uint32_t id : {0u, 1u})
    engine.run.scheduler.add(keyed(id, {1, 2}, 10, 2));
  CHECK(engine.phases() == Phases{{0, {0, 1}}});
}

TEST_CASE("T5: the last token of a prompt is computed, and no more of it") {
  TrtllmEngine engine(20);
  engine.run.scheduler.add(keyed(0, {7, 8}, 10, 1));
  engine.run.drain();
  engine.run.scheduler.add(keyed(1, {7, 8}, 10, 1));
  engine.run.drain();
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 19});
}

TEST_CASE("a prompt in chunks has all its blocks from the start") {
  TrtllmEngine engine(20, {}, 45);
  engine.run.scheduler.add(plain(0, 100, 2));
  CHECK(engine.run.advance().scheduled.at(0).tokens == 40);
  CHECK(engine.manager.used_blocks() == 10);
  CHECK(engine.manager.gauges().slots.live == 40);
  CHECK(engine.manager.gauges().slots.tail == 60);
  engine.run.drain();
  CHECK(engine.seen.allocated == 11);
}

TEST_CASE("TensorRT-LLM finds nothing across tenants") {
  TrtllmEngine engine(20);
  engine.run.scheduler.add(keyed(0, {7, 8}, 10, 2, 1));
  engine.run.drain();
  engine.run.scheduler.add(keyed(1, {7, 8}, 10, 2, 2));
  engine.run.drain();
  engine.run.scheduler.add(keyed(2, {7, 8}, 10, 2, 1));
  engine.run.drain();
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 0, 19});
}
