// SPDX-License-Identifier: Apache-2.0
// The reported defects of eviction inside an engine (spec policies §4.5), switched on: each does
// what was reported, it is counted, and the books of the pool stay right.
#include <map>
#include <set>

#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// One request of 20 prompt tokens, 4 tokens a block.
struct OneRequest {
  OneRequest(std::uint32_t steps_in_flight, std::uint32_t budget, std::uint32_t interval,
             std::uint32_t output, FaultSet faults)
      : run(4, 1000) {
    run.config.engine.steps_in_flight = steps_in_flight;
    run.cache().prefix_caching = false;
    run.evict(budget, interval, "slide").faults = faults;
    run.add(20, output);
  }
  ServingRun run;
};

}  // namespace

TEST_CASE("reclaim_orphan: a token in flight behind a whole number of blocks loses its slot") {
  struct Orphans final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (std::holds_alternative<RoundFinished>(event))
        CHECK(run.kv().sequences().begin()->second.tables[0].length() == 16);
    }
  };
  OneRequest with(2, 16, 8, 101, {EvictionFault::reclaim_orphan});
  Orphans orphans(with.run);
  const Summary summary = with.run.run({&orphans});
  CHECK(summary.reclaim.rounds > 10);
  const auto& damage = summary.faults.of(EvictionFault::reclaim_orphan);
  CHECK(damage.events == summary.reclaim.rounds);
  CHECK(damage.count == damage.events);  // one garbage token an event
  // Two more slots in the last block: nobody is hurt.
  OneRequest room(2, 18, 8, 101, {EvictionFault::reclaim_orphan});
  CHECK(room.run.run().faults.of(EvictionFault::reclaim_orphan).events == 0);
  // And the rule as it should be.
  CHECK(OneRequest(2, 16, 8, 101, {}).run.run().faults.of(EvictionFault::reclaim_orphan).events ==
        0);
}

TEST_CASE("offset_overstated: every block comes 1 + look-ahead tokens late") {
  struct Late final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      evicted |= std::holds_alternative<TokensEvicted>(event);
      if (const auto* e = std::get_if<BlocksAllocated>(&event))
        allocated += evicted ? e->blocks.size() : 0;
      if (const auto* e = std::get_if<FaultDamage>(&event)) counts.insert(e->count);
    }
    bool evicted = false;
    std::uint64_t allocated = 0;
    std::set<std::uint32_t> counts;
  };
  for (const std::uint32_t steps_in_flight : {1u, 2u}) {
    OneRequest with(steps_in_flight, 16, 8, 101, {EvictionFault::offset_overstated});
    with.run.cache().allocation_lag = steps_in_flight;
    Late late(with.run);
    const Summary summary = with.run.run({&late});
    CHECK(summary.serving.completed == 1);
    CHECK(late.allocated > 10);
    CHECK(summary.faults.of(EvictionFault::offset_overstated).events == late.allocated);
    CHECK(late.counts == std::set<std::uint32_t>{steps_in_flight});
  }
  CHECK(
      OneRequest(1, 16, 8, 101, {}).run.run().faults.of(EvictionFault::offset_overstated).events ==
      0);
}

TEST_CASE("barrier_bypass: steps run while survivors move") {
  SECTION("those that are composed meanwhile") {
    OneRequest with(1, 32, 16, 100, {EvictionFault::barrier_bypass});
    with.run.config.copy_time = [](Bytes) { return ms(5); };
    const Summary summary = with.run.run();
    CHECK(summary.reclaim.rounds == 5);
    // 5 ms of moves, 1 ms a step, none of which waits.
    CHECK(summary.faults.of(EvictionFault::barrier_bypass).events == 5 * 5);
    CHECK(*with.run.times(0).last_token == ms(100));
  }
  SECTION("the one that is queued") {
    OneRequest with(2, 32, 16, 100, {EvictionFault::barrier_bypass});
    const Summary summary = with.run.run();
    CHECK(summary.reclaim.rounds == 5);
    CHECK(summary.faults.of(EvictionFault::barrier_bypass).events == 5);
    CHECK(summary.faults.of(EvictionFault::barrier_bypass).count == 5);
  }
}

TEST_CASE("prefill_guard: the room for a token in flight is taken from a pinned prompt") {
  const auto serve = [](std::uint32_t steps_in_flight, FaultSet faults) {
    ServingRun run(4, 12);
    run.config.engine.steps_in_flight = steps_in_flight;
    run.cache().prefix_caching = false;
    EvictorOptions& options = run.evict(24, 1, "slide");
    options.trigger = TriggerKind::usage;
    options.prompt = PromptRule::pinned_inside;
    options.usage_arm = 0.6;
    options.usage_release = 0.1;
    options.faults = faults;
    run.add(24, 8);
    return run.run();
  };
  const Summary two = serve(2, {EvictionFault::prefill_guard});
  CHECK(two.reclaim.rounds > 0);
  CHECK(two.faults.of(EvictionFault::prefill_guard).count == 1);
  // Without a token in flight the prompt just fits; what goes is all that was generated.
  const Summary one = serve(1, {EvictionFault::prefill_guard});
  CHECK(one.reclaim.rounds > 0);
  CHECK(one.faults.of(EvictionFault::prefill_guard).count == 0);
  CHECK(serve(2, {}).reclaim.rounds == 0);
}

TEST_CASE("stale_after_preemption: a resumed request has a round on blocks that it lost") {
  const auto serve = [](std::uint32_t blocks, FaultSet faults, Summary& summary) {
    ServingRun run(4, blocks);
    run.cache().full_sequence_gate = false;
    run.cache().prefix_caching = false;
    run.evict(24, 8, "slide").faults = faults;
    run.add(8, 80);
    run.add(30, 60);
    run.add(16, 7);
    const RunStatus status = run_with_memory(run);
    summary = run.summary();
    return status;
  };
  Summary right, wrong;
  CHECK(serve(14, {}, right) == RunStatus::completed);
  CHECK(serve(14, {EvictionFault::stale_after_preemption}, wrong) == RunStatus::completed);
  const auto& damage = wrong.faults.of(EvictionFault::stale_after_preemption);
  CHECK(damage.events > 0);
  CHECK(damage.count > 0);
  CHECK(damage.count <= damage.events * 6);  // budget / block size
  CHECK(right.faults.of(EvictionFault::stale_after_preemption).events == 0);

  // Its own blocks stay, and where they are all that there are, it cannot go on.
  CHECK(serve(15, {}, right) == RunStatus::completed);
  CHECK(serve(15, {EvictionFault::stale_after_preemption}, wrong) == RunStatus::stopped);
  CHECK(wrong.serving.rejected == 1);
}

TEST_CASE("silent_off: after one round below the budget all budgets are the same") {
  for (const std::uint32_t budget : {64u, 128u}) {
    const auto serve = [&](FaultSet faults) {
      OneRequest one(1, budget, 16, 400, faults);
      one.run.config.rounds->eviction.trigger = TriggerKind::interval;
      return one.run.run();
    };
    const Summary right = serve({}), wrong = serve({EvictionFault::silent_off});
    CHECK(right.reclaim.rounds > 10);
    CHECK(wrong.reclaim.rounds == 0);
    CHECK(wrong.faults.of(EvictionFault::silent_off).events == right.reclaim.rounds);
    CHECK(wrong.memory.kv_peak_blocks == (20 + 399 + 3) / 4);
  }
}

TEST_CASE("all defects at once leave the pool's books right") {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    INFO(seed);
    ServingRun run(4, 20 + seed);
    run.config.engine.steps_in_flight = 1 + seed % 2;
    run.cache().full_sequence_gate = seed % 3 > 0;
    run.cache().prefix_caching = false;
    run.cache().allocation_lag = run.config.engine.steps_in_flight;
    EvictorOptions& options = run.evict(16 + seed % 5, 4 + seed % 7, "slide");
    options.trigger = seed % 4 == 0   ? TriggerKind::allocation_failure
                      : seed % 4 == 1 ? TriggerKind::usage
                                      : TriggerKind::slack;
    options.prompt = seed % 5 == 0 ? PromptRule::pinned_inside : PromptRule::evictable;
    for (const auto& entry : EnumNames<EvictionFault>::table)
      if (seed % 2 == 0 || entry.value != EvictionFault::silent_off)
        options.faults.insert(entry.value);
    for (std::uint32_t i = 0; i < 6; ++i)
      run.add(8 + 5 * i, 20 + 3 * i, ms(4 * i));
    run.run();
    CHECK(run.simulation().status() == RunStatus::completed);
    CHECK(run.kv().pool().held() == 0);
  }
}
