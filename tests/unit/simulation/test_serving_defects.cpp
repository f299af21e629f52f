// SPDX-License-Identifier: Apache-2.0
// Defects that users of token eviction in engines reported (spec policies §4.5): what must not
// happen here.
#include <map>
#include <set>

#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr SimTime ms(std::int64_t count) {
  return SimTime(count * millisecond.value());
}

struct RoundCount final : Observer {
  void on_event(const Event& event) override {
    done += std::holds_alternative<RoundFinished>(event);
    skipped += std::holds_alternative<RoundSkipped>(event);
    preempted += std::holds_alternative<SequencePreempted>(event);
  }
  std::uint64_t done = 0, skipped = 0, preempted = 0;
};

}  // namespace

// The budget is a whole number of blocks, and a round comes while a step is put together whose
// tokens have slots, but no keys and values yet.
TEST_CASE("E-31: a token in flight keeps its slot") {
  struct InFlight final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<TokensAppended>(&event))
        last[e->sequence] = e->first + e->count;
      if (std::holds_alternative<StepCompleted>(event)) composing = false;
      if (std::holds_alternative<RoundFinished>(event) && composing) check();
      if (std::holds_alternative<StepComposed>(event)) {
        check();
        appended.clear();
      }
      if (std::holds_alternative<ClockAdvanced>(event)) composing = true;
      if (const auto* e = std::get_if<TokensAppended>(&event)) appended.push_back(*e);
      if (const auto* e = std::get_if<SequencePreempted>(&event))
        std::erase_if(appended, [&](const TokensAppended& a) { return a.sequence == e->sequence; });
    }
    /// Each token that was appended since the last step is live.
    void check() {
      for (const TokensAppended& part : appended) {
        const CachedSequence& sequence = run.kv().sequence(part.sequence);
        std::set<std::uint32_t> live;
        sequence.tables[0].for_each_live(
            0, [&](std::uint32_t, std::uint32_t token) { live.insert(token); });
        for (std::uint32_t i = 0; i < part.count; ++i)
          CHECK(live.count(part.first + i) == 1);
      }
    }
    bool composing = true;
    std::map<SequenceId, std::uint32_t> last;
    std::vector<TokensAppended> appended;
  };
  for (const std::string reclaim : {"none", "slide", "whole_block"}) {
    INFO(reclaim);
    ServingRun run(4, 40);
    run.evict(16, 1, reclaim).trigger = TriggerKind::allocation_failure;
    for (std::uint32_t i = 0; i < 6; ++i)
      run.add(20 + i, 80, ms(9 * i));
    InFlight in_flight(run);
    RoundCount rounds;
    CHECK(run_with_memory(run, {&in_flight, &rounds}) == RunStatus::completed);
    CHECK(rounds.done > 10);
  }
}

TEST_CASE("E-32: physical lengths lag by exactly what was evicted; blocks come when they are due") {
  struct Lengths final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<TokensEvicted>(&event))
        evicted[e->sequence] += static_cast<std::uint32_t>(e->evicted_set_tokens);
      const auto* step = std::get_if<StepComposed>(&event);
      if (step == nullptr) return;
      for (const ScheduledTokens& part : step->scheduled) {
        const CachedSequence& sequence = run.kv().sequence(part.sequence);
        const BlockTable& table = sequence.tables[0];
        CHECK(sequence.next_position - table.length() == evicted[part.sequence]);
        CHECK(part.context + part.tokens == table.length());
        CHECK(table.entries().size() == (table.length() + 3) / 4);
        ++checked;
      }
    }
    std::map<SequenceId, std::uint32_t> evicted;
    std::uint64_t checked = 0;
  };
  ServingRun run(4, 200);
  run.evict(33, 7, "slide");  // block borders fall everywhere
  run.add(30, 150);
  run.add(61, 90);
  Lengths lengths(run);
  CHECK(run_with_memory(run, {&lengths}) == RunStatus::completed);
  CHECK(lengths.checked > 200);
}

// A step that was composed before a round would run across it: with eviction only one step is in
// flight, and what a round moves ends before the next step begins.
TEST_CASE("E-33: no step runs across a compaction") {
  ServingRun run(4, 200);
  run.evict(32, 16, "slide");
  run.config.copy_time = [](Bytes moved) { return moved.value() > 0 ? ms(5) : SimTime(); };
  struct Barrier final : Observer {
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<ClockAdvanced>(&event)) {
        if (moved) CHECK(e->now - now == ms(6));
        moved = false;
        now = e->now;
      }
      if (std::holds_alternative<StepComposed>(event)) ++in_flight;
      if (std::holds_alternative<StepCompleted>(event)) --in_flight;
      if (const auto* e = std::get_if<RoundFinished>(&event)) {
        CHECK(in_flight == 0);
        moved = moved || e->bytes_moved.value() > 0;
        ++rounds;
      }
    }
    SimTime now;
    bool moved = false;
    int in_flight = 0, rounds = 0;
  } barrier;
  run.add(20, 100);
  run.run({&barrier});
  CHECK(barrier.rounds == 5);
}

TEST_CASE("E-34: under pressure a pinned prompt that fills the budget stays whole") {
  for (const TriggerKind trigger : {TriggerKind::usage, TriggerKind::allocation_failure}) {
    INFO(enum_name(trigger));
    ServingRun run(4, 8);
    EvictorOptions& options = run.evict(24, 1, "slide");
    options.trigger = trigger;
    options.prompt = PromptRule::pinned_inside;
    options.usage_arm = 0.5;
    options.usage_release = 0.1;
    run.add(24, 8);
    RoundCount rounds;
    CHECK(run_with_memory(run, {&rounds}) == RunStatus::completed);
    CHECK(rounds.done == 0);
    CHECK(run.summary().reclaim.evicted_set_tokens == 0);
    // Tried once, when a token came that could have gone, and not again at each.
    if (trigger == TriggerKind::usage) CHECK(rounds.skipped > 0);
  }
}

TEST_CASE("E-35: nothing of an eviction outlives a preemption") {
  ServingRun run(4, 24);
  run.evict(24, 8, "slide");
  run.add(8, 80);
  run.add(30, 60);
  struct Resumed final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<SequencePreempted>(&event)) preempted.insert(e->sequence);
      if (const auto* e = std::get_if<TokensEvicted>(&event))
        if (!again.count(e->sequence) || e->round > 0) evicted.insert(e->sequence);
      if (const auto* e = std::get_if<RequestAdmitted>(&event)) {
        if (!e->again) return;
        resumed_after_eviction += evicted.count(e->sequence);
        evicted.erase(e->sequence);
        again.insert(e->sequence);
        const CachedSequence& sequence = run.kv().sequence(e->sequence);
        CHECK(sequence.rounds == 0);
        CHECK(sequence.tables[0].length() == e->known);
        CHECK(sequence.live == e->known);
      }
    }
    std::set<SequenceId> preempted, evicted, again;
    std::uint64_t resumed_after_eviction = 0;
  } resumed(run);
  // A third request that grows, and is never due, pushes the others out.
  run.add(16, 7);
  run.cache().full_sequence_gate = false;
  run.cache().blocks = 15;
  CHECK(run_with_memory(run, {&resumed}) == RunStatus::completed);
  CHECK(resumed.resumed_after_eviction > 0);
}

TEST_CASE("E-36: rounds go on after one that could do nothing, and their number is the expected") {
  SECTION("one number a budget") {
    for (const std::uint32_t budget : {64u, 512u, 4096u}) {
      ServingRun run(16, 1000);
      run.evict(budget, 128, "slide");
      run.add(100, 6000);
      RoundCount rounds;
      run.run({&rounds});
      CHECK(rounds.done == (100 + 6000 - 1 - budget) / 128);
      CHECK(rounds.skipped == 0);
    }
  }
  SECTION("after skipped rounds") {
    // Protection fills the budget until sinks and recent tokens are no longer the same.
    ServingRun run(4, 100);
    EvictorOptions& options = run.evict(16, 4, "slide");
    options.prompt = PromptRule::pinned_inside;
    run.add(16, 40);  // every round is skipped: the prompt fills the budget
    run.add(4, 40);   // none is
    struct ByRequest final : Observer {
      void on_event(const Event& event) override {
        if (const auto* e = std::get_if<RoundFinished>(&event)) ++done[e->sequence.value()];
        if (const auto* e = std::get_if<RoundSkipped>(&event)) ++skipped[e->sequence.value()];
      }
      std::map<std::uint32_t, std::uint32_t> done, skipped;
    } by_request;
    run.run({&by_request});
    CHECK(by_request.done[0] == 0);
    CHECK(by_request.skipped[0] == (39 + 3) / 4 - 1);
    CHECK(by_request.done[1] == (4 + 39 - 16) / 4);
    CHECK(by_request.skipped[1] == 0);
  }
}
