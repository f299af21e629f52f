// SPDX-License-Identifier: Apache-2.0
// Eviction inside the requests of an engine: what it holds, what it leaves alone, when it happens.
#include <map>
#include <set>

#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// The first `shared_keys` keys of its prompt are those of all others, the rest are its own.
TraceRequest sharing(std::uint32_t prompt, std::uint32_t output, std::uint32_t key_tokens,
                     std::uint32_t shared_keys, SimTime arrival = {}) {
  static std::uint64_t next_own = 1'000'000;
  TraceRequest request = plain_request(prompt, output, arrival);
  for (std::uint32_t i = 0; i * key_tokens < prompt; ++i)
    request.block_keys.push_back(i < shared_keys ? i : next_own++);
  return request;
}

/// Rounds, with what the pool holds then, and what was skipped.
struct Rounds final : RunObserver {
  using RunObserver::RunObserver;
  void on_event(const Event& event) override {
    if (std::holds_alternative<ClockAdvanced>(event)) ++clock;
    if (const auto* e = std::get_if<RoundStarted>(&event)) {
      requests.push_back(e->sequence.value());
      held_before.push_back(run.kv().pool().held());
    }
    if (const auto* e = std::get_if<RoundFinished>(&event)) {
      held_after.push_back(run.kv().pool().held());
      freed += e->blocks_freed;
    }
    skipped += std::holds_alternative<RoundSkipped>(event);
  }
  std::vector<std::uint32_t> requests, held_before, held_after;
  std::int64_t freed = 0;
  std::uint64_t skipped = 0, clock = 0;
};

}  // namespace

TEST_CASE("M-15, M-16 in serving: budget 3,072, interval 128, 192 blocks after every round",
          "[slow]") {
  ServingRun run(16, 4096);
  run.evict(3072, 128, "slide");
  run.add(128, 16384);
  Rounds rounds(run);
  const Summary summary = run.run({&rounds});
  // Rounds at 3,200 tokens and after each 128 more, as long as a token follows.
  CHECK(rounds.held_after.size() == (128 + 16384 - 1 - 3072) / 128);
  for (const std::uint32_t held : rounds.held_before)
    REQUIRE(held == 200);
  for (const std::uint32_t held : rounds.held_after)
    REQUIRE(held == 192);
  CHECK(summary.memory.kv_peak_blocks == 200);
  CHECK(summary.memory.kv_after_round_blocks == 192);
  CHECK(summary.serving.completed == 1);

  ServingRun whole(16, 4096);
  whole.add(128, 16384);
  CHECK(whole.run().memory.kv_peak_blocks == 1032);
}

TEST_CASE("slide: no request holds more than budget and interval once its prompt is computed") {
  struct Holdings final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (!std::holds_alternative<StepCompleted>(event)) return;
      for (const auto& [id, sequence] : run.kv().sequences()) {
        const auto blocks = sequence.tables[0].entries().size();
        REQUIRE(blocks <= (64u + 16u + 3u) / 4u);
        most = std::max(most, blocks);
      }
    }
    std::size_t most = 0;
  };
  for (const bool caching : {false, true}) {
    ServingRun run(4, 200);
    run.cache().prefix_caching = caching;
    run.evict(64, 16, "slide");
    for (std::uint32_t i = 0; i < 12; ++i)
      run.add(20 + 4 * i, 150 + 10 * i, ms(7 * i));
    Holdings holdings(run);
    CHECK(run_with_memory(run, {&holdings}) == RunStatus::completed);
    CHECK(holdings.most == 20);
    CHECK(run.kv().pool().held() == 0);
  }
}

TEST_CASE("a request has no round before its prompt is computed") {
  ServingRun run(4, 200);
  run.config.scheduler.max_num_batched_tokens = 50;
  run.evict(32, 8, "slide");
  run.add(200, 20);
  Rounds rounds(run);
  const Summary summary = run.run({&rounds});
  REQUIRE(rounds.held_before.size() == 1 + 19 / 8);
  CHECK(rounds.held_before[0] == 50);  // the whole prompt
  CHECK(rounds.held_after[0] == 8);
  CHECK(summary.serving.completed == 1);
}

TEST_CASE("an evicted request is found no further than what it had cached, and hashes no more") {
  struct Hashed final : Observer {
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<SequenceStarted>(&event)) evicted.erase(e->sequence);
      if (const auto* e = std::get_if<TokensEvicted>(&event)) evicted.insert(e->sequence);
      if (const auto* e = std::get_if<BlocksCached>(&event)) {
        CHECK(evicted.count(e->sequence) == 0);
        if (e->sequence == SequenceId(0)) cached += static_cast<std::uint32_t>(e->blocks.size());
      }
      if (const auto* e = std::get_if<RequestAdmitted>(&event)) hits.push_back(e->hit);
    }
    std::set<SequenceId> evicted;
    std::uint32_t cached = 0;  // blocks of request 0
    std::vector<std::uint32_t> hits;
  };
  for (const std::string reclaim : {"none", "slide", "whole_block"}) {
    INFO(reclaim);
    ServingRun run(4, 400);
    run.key_tokens = 4;
    run.evict(32, 16, reclaim);
    run.add(sharing(24, 100, 4, 6));
    run.add(sharing(24, 100, 4, 6, ms(60)));   // while request 0 runs, evicted from
    run.add(sharing(24, 100, 4, 6, ms(500)));  // when both are done
    Hashed hashed;
    CHECK(run_with_memory(run, {&hashed}) == RunStatus::completed);
    CHECK(hashed.cached == 12);  // up to 48 tokens, where the first round comes
    REQUIRE(hashed.hits.size() == 3);
    for (const std::uint32_t hit : hashed.hits)
      CHECK(hit <= 20);
    // Packed blocks are found no more.
    if (reclaim == "slide") CHECK(hashed.hits == std::vector<std::uint32_t>{0, 0, 0});
  }
}

TEST_CASE("E-39: shared blocks are left alone, and who shares them reads its own tokens") {
  for (const std::string reclaim : {"none", "slide", "whole_block", "copy_out", "unshare"}) {
    INFO(reclaim);
    ServingRun run(4, 400);
    run.key_tokens = 4;
    if (reclaim == "unshare")
      run.evict(40, 8, "slide", "random", {SharedBlocks::unshare, 0, 0});
    else
      run.evict(40, 8, reclaim);
    run.add(sharing(41, 60, 4, 8));        // evicted from after a few tokens
    run.add(sharing(34, 3, 4, 8, ms(1)));  // shares 32 tokens, ends before it is due
    run.add(sharing(36, 40, 4, 8, ms(3)));
    struct Shared final : RunObserver {
      using RunObserver::RunObserver;
      void on_event(const Event& event) override {
        if (const auto* e = std::get_if<RequestAdmitted>(&event)) hits.push_back(e->hit);
        if (const auto* e = std::get_if<TokensEvicted>(&event))
          for (const BlockId block : run.kv().sequence(e->sequence).tables[0].entries())
            if (block != null_block && run.kv().pool().references(block) > 1) shared.insert(block);
        if (const auto* e = std::get_if<RoundFinished>(&event)) {
          if (e->sequence == SequenceId(0) && e->round == 0) shared_in_first_round = shared.size();
          for (const BlockId block : shared) {
            CHECK(run.kv().pool().references(block) > 0);
            CHECK(run.kv().pool().cached(block));
            CHECK(run.kv().pool().fill(block) == 4);
          }
          shared.clear();
        }
      }
      std::set<BlockId> shared;
      std::size_t shared_in_first_round = 0;
      std::vector<std::uint32_t> hits;
    } shared(run);
    CHECK(run_with_memory(run, {&shared}) == RunStatus::completed);
    REQUIRE(shared.hits.size() == 3);
    CHECK(shared.hits[1] == 32);
    CHECK(shared.hits[2] == 32);
    CHECK(shared.shared_in_first_round > 0);
    CHECK(run.kv().pool().held() == 0);
  }
}

TEST_CASE("blocks that a round frees admit a waiting request in the next step") {
  struct Order final : Observer {
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<RoundFinished>(&event))
        if (e->blocks_freed > 0 && !round_after) round_after = composed;
      if (const auto* e = std::get_if<RequestAdmitted>(&event))
        admitted[e->sequence.value()] = composed;
      if (std::holds_alternative<StepComposed>(event)) ++composed;
    }
    std::uint64_t composed = 0;
    std::optional<std::uint64_t> round_after;
    std::map<std::uint32_t, std::uint64_t> admitted;  // before the composing of this step ended
  };
  const auto serve = [](const std::string& reclaim, Order& order) {
    ServingRun run(16, 8);
    run.evict(64, 32, reclaim);
    run.add(64, 60);
    run.add(48, 1, ms(20));  // request 0 holds six blocks, two are free
    const Summary summary = run.run({&order});
    CHECK(summary.serving.completed == 2);
    return run.times(1).queued;
  };
  Order slide;
  CHECK(serve("slide", slide) == ms(20));
  REQUIRE(slide.round_after);
  CHECK(*slide.round_after == 33);  // the step in which request 0 gets 96 tokens
  CHECK(slide.admitted[1] == *slide.round_after);

  Order none;
  serve("none", none);
  CHECK(none.admitted[1] > slide.admitted[1]);
}

TEST_CASE("usage: rounds begin at `arm`, go on until `release`, and then wait for `arm` again") {
  ServingRun run(4, 50);
  EvictorOptions& options = run.evict(16, 1, "slide");
  options.trigger = TriggerKind::usage;
  options.usage_arm = 0.8;
  options.usage_release = 0.5;
  for (int i = 0; i < 4; ++i)
    run.add(30, 60);
  struct Pressure final : RunObserver {
    using RunObserver::RunObserver;
    std::uint32_t held() const { return run.kv().pool().held(); }
    void on_event(const Event& event) override {
      if (std::holds_alternative<StepCompleted>(event)) {
        if (armed) CHECK(after_rounds <= 25);
        armed = held() >= 40;
        armings += armed;
        quiet += !armed && held() > 25;
        rounds_of_step = 0;
      }
      if (std::holds_alternative<RoundStarted>(event)) {
        CHECK(armed);
        if (rounds_of_step++ > 0) CHECK(held() > 25);
      }
      if (std::holds_alternative<RoundFinished>(event)) after_rounds = held();
      preempted += std::holds_alternative<SequencePreempted>(event);
    }
    bool armed = false;
    std::uint32_t armings = 0, quiet = 0, rounds_of_step = 0, after_rounds = 0, preempted = 0;
  } pressure(run);
  CHECK(run_with_memory(run, {&pressure}) == RunStatus::completed);
  CHECK(pressure.armings >= 2);
  CHECK(pressure.quiet >= 5);  // steps between release and arm without a round
  CHECK(pressure.preempted == 0);
}

TEST_CASE("usage: a pool that never gets near `arm` has no round") {
  ServingRun run(4, 200);
  run.evict(16, 1, "slide").trigger = TriggerKind::usage;
  run.add(30, 60);
  Rounds rounds(run);
  run.run({&rounds});
  CHECK(rounds.requests.empty());
}

TEST_CASE("allocation failure: a round comes before a preemption, of the longest request") {
  const auto requests = [](ServingRun& run) {
    run.add(20, 60);
    run.add(40, 60);
    run.add(8, 40);
  };
  ServingRun run(4, 30);
  run.evict(16, 1, "slide").trigger = TriggerKind::allocation_failure;
  requests(run);
  struct Longest final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      const auto* e = std::get_if<RoundStarted>(&event);
      if (e == nullptr) return;
      ++rounds;
      CHECK(run.kv().pool().available() == 0);
      std::uint32_t most = 0;
      for (const auto& [id, sequence] : run.kv().sequences())
        most = std::max(most, sequence.live);
      CHECK(run.kv().sequence(e->sequence).live == most);
    }
    std::uint32_t rounds = 0;
  } longest(run);
  CHECK(run_with_memory(run, {&longest}) == RunStatus::completed);
  CHECK(longest.rounds >= 2);
  CHECK(run.summary().serving.preemptions == 0);

  ServingRun full(4, 30);
  requests(full);
  full.run();
  CHECK(full.summary().serving.preemptions > 0);
}

TEST_CASE("allocation failure: who has nothing to give is preempted after all") {
  ServingRun run(4, 12);
  run.evict(100, 1, "slide").trigger = TriggerKind::allocation_failure;
  run.add(20, 20);
  run.add(20, 20);
  Rounds rounds(run);
  const Summary summary = run.run({&rounds});
  CHECK(run.simulation().status() == RunStatus::completed);
  CHECK(rounds.requests.empty());
  CHECK(summary.serving.preemptions > 0);
}

TEST_CASE("moving survivors holds up the step that is composed next") {
  const auto last_token = [](bool costs) {
    ServingRun run(4, 200);
    run.evict(32, 16, "slide");
    if (costs)
      run.config.copy_time = [](Bytes moved) { return SimTime(moved.value() > 0 ? 7 : 0); };
    run.add(20, 100);
    Rounds rounds(run);
    run.run({&rounds});
    CHECK(rounds.requests.size() == 5);
    return *run.times(0).last_token;
  };
  CHECK(last_token(false) == ms(100));
  CHECK(last_token(true) == ms(100) + SimTime(5 * 7));
}

TEST_CASE("choosing holds up the step that is composed next, once a round") {
  const auto makespan = [](SimTime round_time) {
    ServingRun run(16, 64);
    run.evict(32, 16, "none");
    run.config.round_time = round_time;
    run.add(32, 64);
    run.add(32, 64);
    Rounds rounds(run);
    const Summary summary = run.run({&rounds});
    return std::pair(summary.run.virtual_time, rounds.requests.size());
  };
  const auto [free, rounds] = makespan(SimTime());
  const auto [priced, same_rounds] = makespan(ms(5));
  REQUIRE(rounds > 2);
  CHECK(same_rounds == rounds);
  CHECK(priced == free + ms(5) * static_cast<std::int64_t>(rounds));
}

TEST_CASE("after eviction a request reads the slots of the blocks that it still holds") {
  for (const std::string reclaim : {"none", "slide", "whole_block"}) {
    INFO(reclaim);
    ServingRun run(4, 200);
    run.evict(32, 16, reclaim);
    run.add(20, 100);
    std::vector<std::uint32_t> contexts;
    run.config.step_time = [&](const Step& step) {
      contexts.push_back(step.scheduled[0].context);
      return millisecond;
    };
    run.run();
    REQUIRE(contexts.size() == 100);
    CHECK(contexts[0] == 0);
    for (std::uint32_t i = 1, live = 20; i < 100; ++i) {
      if (reclaim == "none")
        CHECK((contexts[i] >= live && contexts[i] <= 19 + i));
      else
        CHECK(contexts[i] == live);
      if (++live == 48) live = 32;
    }
    // Some blocks come back even where nothing moves.
    CHECK(contexts[99] < 118);
  }
}
