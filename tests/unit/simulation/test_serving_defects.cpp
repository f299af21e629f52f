// SPDX-License-Identifier: Apache-2.0
// Defects that users of token eviction in engines reported (spec policies §4.5): what must not
// happen here.
#include <deque>
#include <map>
#include <set>

#include "tests/support/scaled.hpp"
#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct RoundCount final : Observer {
  void on_event(const Event& event) override {
    done += std::holds_alternative<RoundFinished>(event);
    skipped += std::holds_alternative<RoundSkipped>(event);
    preempted += std::holds_alternative<SequencePreempted>(event);
  }
  std::uint64_t done = 0, skipped = 0, preempted = 0;
};

/// Keeps the newest tokens it is shown. One token of a running request is in flight when its round
/// comes: the policy sees all others up to it, and is asked for one token less than the budget.
struct SeenTokens final : EvictionPolicy {
  void select(const EvictionRound& round, std::span<std::uint64_t> keep,
              SelectionScratch&) const override {
    ++rounds;
    CHECK(round.keep == 15);
    CHECK(round.live.back() + 1 == round.next_position);
    bits::set_range(keep, round.live.size() - round.keep, round.live.size());
  }
  void score(const EvictionRound&, std::span<double>, SelectionScratch&) const override {}
  mutable std::uint64_t rounds = 0;
};

}  // namespace

// The budget is a whole number of blocks, and a round comes while tokens have slots, but no keys
// and values yet: of a step that is put together, or of one that runs.
TEST_CASE("E-31: a token in flight keeps its slot, and the blocks are as many as without it") {
  struct InFlight final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<TokensAppended>(&event)) steps.back().push_back(*e);
      if (const auto* e = std::get_if<StepComposed>(&event))
        if (!e->scheduled.empty()) steps.emplace_back();
      if (std::holds_alternative<StepCompleted>(event)) steps.pop_front();
      if (const auto* e = std::get_if<SequencePreempted>(&event))
        for (auto& step : steps)
          std::erase_if(step, [&](const TokensAppended& a) { return a.sequence == e->sequence; });
      if (const auto* e = std::get_if<RoundFinished>(&event)) check(e->sequence);
    }
    void check(SequenceId id) {
      const CachedSequence& sequence = run.kv().sequence(id);
      std::set<std::uint32_t> live;
      sequence.tables[0].for_each_live(
          0, [&](std::uint32_t, std::uint32_t token) { live.insert(token); });
      CHECK(live.size() >= 16);
      if (slides) CHECK(sequence.tables[0].entries().size() == 4);
      for (const auto& step : steps)
        for (const TokensAppended& part : step)
          for (std::uint32_t i = 0; part.sequence == id && i < part.count; ++i, ++checked)
            CHECK(live.count(part.first + i) == 1);
    }
    bool slides = false;
    std::uint64_t checked = 0;
    std::deque<std::vector<TokensAppended>> steps{1};  // in flight; the last is being composed
  };
  struct Case {
    std::uint32_t steps_in_flight;
    TriggerKind trigger;
  };
  for (const Case& c : {Case{1, TriggerKind::allocation_failure},
                        Case{2, TriggerKind::allocation_failure}, Case{2, TriggerKind::slack}})
    for (const std::string reclaim : {"none", "slide", "whole_block"}) {
      INFO(c.steps_in_flight << ' ' << enum_name(c.trigger) << ' ' << reclaim);
      ServingRun run(4, 40);
      run.config.engine.steps_in_flight = c.steps_in_flight;
      run.evict(16, 1, reclaim).trigger = c.trigger;
      for (std::uint32_t i = 0; i < 6; ++i)
        run.add(20 + i, 80, ms(9 * i));
      InFlight in_flight(run);
      in_flight.slides = reclaim == "slide";
      RoundCount rounds;
      CHECK(run_with_memory(run, {&in_flight, &rounds}) == RunStatus::completed);
      CHECK(rounds.done > 10);
      CHECK(in_flight.checked > 4);
    }
}

TEST_CASE("with two steps in flight no request holds more than budget and interval after a step") {
  struct Holdings final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<RoundStarted>(&event))
        before.insert(run.kv().sequence(e->sequence).tables[0].length());
      if (const auto* e = std::get_if<RoundFinished>(&event))
        after.insert(run.kv().sequence(e->sequence).tables[0].length());
    }
    std::set<std::uint32_t> before, after;
  };
  ServingRun run(4, 200);
  run.config.engine.steps_in_flight = 2;
  run.evict(32, 16, "slide");
  for (std::uint32_t i = 0; i < 6; ++i)
    run.add(20 + i, 120, ms(7 * i));
  Holdings holdings(run);
  CHECK(run_with_memory(run, {&holdings}) == RunStatus::completed);
  CHECK(holdings.before == std::set<std::uint32_t>{48});
  CHECK(holdings.after == std::set<std::uint32_t>{32});
}

// What a policy may look at: keys, values and queries of computed tokens.
TEST_CASE("no policy sees a token in flight") {
  const auto policy = std::make_shared<SeenTokens>();
  ServingRun run(4, 40);
  run.config.engine.steps_in_flight = 2;
  run.evict(16, 4, "slide");
  run.config.rounds->policy = policy;
  run.add(20, 60);
  run.add(24, 60, ms(2));
  CHECK(run_with_memory(run) == RunStatus::completed);
  CHECK(policy->rounds > 10);
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
  for (const std::uint32_t steps_in_flight : {1u, 2u}) {
    ServingRun run(4, 200);
    run.config.engine.steps_in_flight = steps_in_flight;
    run.evict(33, 7, "slide");  // block borders fall everywhere
    run.add(30, 150);
    run.add(61, 90);
    Lengths lengths(run);
    CHECK(run_with_memory(run, {&lengths}) == RunStatus::completed);
    CHECK(lengths.checked > 200);
  }
}

/// When steps ended, and how many had when rounds that moved tokens came.
struct StepEnds final : Observer {
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<ClockAdvanced>(&event)) ends.push_back(e->now);
    if (const auto* e = std::get_if<RoundFinished>(&event))
      if (e->bytes_moved.value() > 0) rounds.push_back(ends.size());
  }
  std::vector<SimTime> ends;
  std::vector<std::size_t> rounds;
};

// The step that runs when a round comes ends first, then what the round moves, then the next step
// begins: 5 ms of moves and 1 ms of its own.
TEST_CASE("E-33: no step runs across a compaction") {
  for (const std::uint32_t steps_in_flight : {1u, 2u}) {
    INFO(steps_in_flight);
    ServingRun run(4, 200);
    run.config.engine.steps_in_flight = steps_in_flight;
    run.evict(32, 16, "slide");
    run.config.copy_time = [](Bytes moved) { return moved.value() > 0 ? ms(5) : SimTime(); };
    run.add(20, 100);
    StepEnds steps;
    run.run({&steps});
    REQUIRE(steps.ends.size() == 100);
    REQUIRE(steps.rounds.size() == 5);
    std::set<std::size_t> late;
    for (const std::size_t done : steps.rounds)
      late.insert(done + steps_in_flight - 1);
    for (std::size_t i = 1; i < steps.ends.size(); ++i) {
      INFO(i);
      CHECK(steps.ends[i] - steps.ends[i - 1] == ms(late.count(i) == 1 ? 6 : 1));
    }
  }
}

TEST_CASE("E-34: under pressure a pinned prompt that fills the budget stays whole") {
  for (const std::uint32_t in_flight : {1u, 2u})
    for (const TriggerKind trigger : {TriggerKind::usage, TriggerKind::allocation_failure}) {
      INFO(in_flight << ' ' << enum_name(trigger));
      ServingRun run(4, 8);
      run.config.engine.steps_in_flight = in_flight;
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
  const std::uint32_t in_flight = GENERATE(1u, 2u);
  ServingRun run(4, 24);
  run.config.engine.steps_in_flight = in_flight;
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
    const std::uint32_t in_flight = GENERATE(1u, 2u);
    const std::uint32_t output = sanitized ? 3000 : 6000;
    for (const std::uint32_t budget : {64u, 512u, sanitized ? 2048u : 4096u}) {
      ServingRun run(16, 1000);
      run.config.engine.steps_in_flight = in_flight;
      run.evict(budget, 128, "slide");
      run.add(100, output);
      RoundCount rounds;
      run.run({&rounds});
      CHECK(rounds.done == (100 + output - 1 - budget) / 128);
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
