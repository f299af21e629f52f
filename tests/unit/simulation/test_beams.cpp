// SPDX-License-Identifier: Apache-2.0
// Requests in beam search through whole runs: what a step computes, seats and budget, blocks in
// closed form, preemption as a whole, time of copies, prefix caching.
#include <array>
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "sim/metrics/event_log.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

using Ids = std::vector<std::uint32_t>;
using Part = std::array<std::uint32_t, 4>;  // candidate, context, tokens, recomputed

constexpr BeamOptions apart(std::uint32_t width) {
  return {width, 0, 0};
}
constexpr BeamOptions from_first(std::uint32_t width) {
  return {width, 1, 1};
}

struct BeamRun : ServingRun {
  BeamRun(std::uint32_t blocks, const BeamOptions& beam, std::uint64_t seed = 0)
      : ServingRun(4, blocks) {
    config.beams.emplace(beam, seed);
    cache().prefix_caching = false;
  }
};

/// What a run's steps computed for each request, and how it was preempted and forked.
struct Watch final : Observer {
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<StepComposed>(&event)) {
      auto& step = steps.emplace_back();
      for (const ScheduledTokens& part : e->scheduled)
        step[part.sequence.value()].push_back(
            {part.candidate, part.context, part.tokens, part.recomputed});
    }
    if (const auto* e = std::get_if<RequestAdmitted>(&event))
      if (e->again) known_again.push_back(e->known);
    if (const auto* e = std::get_if<SequenceForked>(&event))
      forks[request_of(e->child).value()].push_back({e->parent.value(), e->child.value()});
    if (const auto* e = std::get_if<SequencePreempted>(&event))
      preempted.push_back(e->sequence.value());
    if (const auto* e = std::get_if<SequenceCompleted>(&event))
      completed.push_back(e->sequence.value());
  }
  std::vector<std::map<std::uint32_t, std::vector<Part>>> steps;
  std::map<std::uint32_t, std::vector<std::array<std::uint32_t, 2>>> forks;
  Ids preempted, completed, known_again;
};

std::uint32_t ceil_div(std::uint32_t a, std::uint32_t b) {
  return (a + b - 1) / b;
}

}  // namespace

TEST_CASE("a request computes its prompt once, then a token for each candidate and step") {
  BeamRun run(100, apart(3));
  run.add(6, 3);
  Watch watch;
  const Summary summary = run.run({&watch});
  REQUIRE(watch.steps.size() == 3);
  CHECK(watch.steps.at(0)[0] == std::vector<Part>{{0, 0, 6, 0}});
  CHECK(watch.steps.at(1)[0] == std::vector<Part>{{0, 6, 1, 0}, {1, 6, 1, 0}, {2, 6, 1, 0}});
  CHECK(watch.steps.at(2)[0] == std::vector<Part>{{0, 7, 1, 0}, {1, 7, 1, 0}, {2, 7, 1, 0}});
  CHECK(watch.completed == Ids{0});
  CHECK(summary.serving.scheduled_tokens == 6 + 2 * 3);
  CHECK(summary.sharing.sequences_forked == 2);
  CHECK(summary.sharing.blocks_copied == 2);  // of the prompt's last block, half full
  CHECK(run.times(0).output_tokens == 3);
}

TEST_CASE("a request with a single output token never branches") {
  BeamRun run(100, apart(3));
  run.add(6, 1);
  CHECK(run.run().sharing.sequences_forked == 0);
}

TEST_CASE("blocks held are the shared prefix and the candidates' tails, in closed form") {
  for (const std::uint32_t width : {2u, 5u})
    for (const std::uint32_t prompt : {3u, 4u, 17u})
      for (const std::uint32_t output : {2u, 3u, 30u}) {
        const std::uint32_t last = prompt + output - 1;  // the last output token is not computed
        const auto peak = [&](const BeamOptions& beam) {
          BeamRun run(1000, beam);
          run.add(prompt, output);
          const Summary summary = run.run();
          CHECK(summary.sharing.blocks_saved.end == 0);
          return summary.memory.kv_peak_blocks;
        };
        CHECK(peak(from_first(width)) == (last - 1) / 4 + width);
        CHECK(peak(apart(width)) == prompt / 4 + width * (ceil_div(last, 4) - prompt / 4));
      }
}

TEST_CASE("blocks saved are those that candidates apart would hold besides") {
  BeamRun run(100, from_first(3));
  run.add(8, 10);
  struct Gauge final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (std::holds_alternative<ClockAdvanced>(event) && ++steps > 1) {
        const std::uint32_t tokens = 8 + steps - 1, shared = (tokens - 1) / 4;
        CHECK(run.kv().pool().shared() == shared);
        CHECK(run.kv().pool().saved() == 2 * shared);
      }
    }
    std::uint32_t steps = 0;
  } gauge(run);
  run.run({&gauge});
  CHECK(gauge.steps == 10);
}

TEST_CASE("a request takes the seats of all its candidates from its admission on") {
  BeamRun run(100, apart(2));
  run.config.scheduler.max_num_seqs = 5;
  for (int i = 0; i < 3; ++i)
    run.add(4, 3);
  Watch watch;
  run.run({&watch});
  CHECK(watch.steps.at(0).size() == 2);
  CHECK(watch.steps.at(1).size() == 2);
  CHECK(watch.steps.at(3).count(2) == 1);  // when the first two ended together
  CHECK(watch.completed == Ids{0, 1, 2});
}

TEST_CASE("a step that cannot take all candidates of a request leaves it out") {
  BeamRun run(100, apart(3));
  run.config.scheduler.max_num_batched_tokens = 8;
  for (int i = 0; i < 3; ++i)
    run.add(2, 3);
  Watch watch;
  run.run({&watch});
  CHECK(watch.steps.at(1).count(0) == 1);
  CHECK(watch.steps.at(1).count(1) == 1);
  CHECK(watch.steps.at(1).count(2) == 0);  // two tokens are left
  CHECK(watch.completed == Ids{0, 1, 2});
}

TEST_CASE("a preempted request comes back as a whole, and what is shared is computed once") {
  for (const BeamOptions& beam : {apart(3), from_first(3)}) {
    BeamRun run(beam.branching == 0 ? 20 : 14, beam);
    run.add(8, 20);
    run.add(8, 20);
    Watch watch;
    const Summary summary = run.run({&watch});
    CHECK(watch.completed == Ids{0, 1});
    REQUIRE(!watch.preempted.empty());
    CHECK(watch.preempted == Ids(watch.preempted.size(), 1));
    std::uint64_t again = 0;
    for (const std::uint32_t known : watch.known_again)
      again += beam.branching == 0 ? 8 + 3 * (known - 1 - 8) : known - 1;
    CHECK(summary.serving.recomputed_tokens == again);
    CHECK(summary.serving.scheduled_tokens == 2 * (8 + 3 * 19) + again);
  }
}

TEST_CASE("tokens in a block that candidates have copies of are still computed once") {
  // Candidates part at the prompt's end, in the middle of a block.
  BeamRun run(16, apart(3));
  run.add(6, 16);
  run.add(6, 16);
  Watch watch;
  const Summary summary = run.run({&watch});
  REQUIRE(!watch.preempted.empty());
  std::uint64_t again = 0;
  for (const std::uint32_t known : watch.known_again)
    again += 6 + 3 * (known - 1 - 6);
  CHECK(summary.serving.recomputed_tokens == again);
}

TEST_CASE("a request that is computed again may be spread over steps") {
  BeamRun run(20, apart(3));
  run.config.scheduler.max_num_batched_tokens = 7;
  run.add(8, 20);
  run.add(8, 20);
  Watch watch;
  const Summary summary = run.run({&watch});
  CHECK(watch.completed == Ids{0, 1});
  CHECK(!watch.preempted.empty());
  for (auto& step : watch.steps) {
    std::uint32_t tokens = 0;
    for (const auto& [id, parts] : step)
      for (const Part& part : parts)
        tokens += part[2];
    CHECK(tokens <= 7);
  }
  CHECK(summary.serving.recomputed_tokens > 0);
}

TEST_CASE("a request that is swapped out takes each shared block along once") {
  BeamRun run(20, apart(3));
  run.config.scheduler.preemption = Preemption::swap;
  run.config.scheduler.swap_blocks = 1000;
  run.add(8, 20);
  run.add(8, 20);
  Watch watch;
  const Summary summary = run.run({&watch});
  REQUIRE(!watch.preempted.empty());
  std::uint64_t blocks = 0;
  for (const std::uint32_t known : watch.known_again)
    blocks += 2 + 3 * (ceil_div(known - 1, 4) - 2);
  CHECK(summary.serving.swapped_out_blocks == blocks);
  CHECK(summary.serving.swapped_in_blocks == blocks);
  CHECK(summary.serving.recomputed_tokens == 0);
  CHECK(summary.serving.scheduled_tokens == 2 * (8 + 3 * 19));
}

TEST_CASE("a request whose candidates outgrow the pool is rejected, and leaves nothing") {
  BeamRun run(8, apart(3));
  run.add(8, 20);
  run.add(8, 4);
  const Summary summary = run.run();
  CHECK(summary.serving.rejected == 1);
  CHECK(summary.serving.completed == 1);
  CHECK(run.kv().pool().held() == 0);
  CHECK(run.kv().sequences().empty());
}

TEST_CASE("which candidates go on does not depend on when a request runs") {
  const auto forks = [](std::uint32_t seats) {
    BeamRun run(1000, {4, 0.7, 0.1}, 11);
    run.config.scheduler.max_num_seqs = seats;
    for (std::uint32_t i = 0; i < 5; ++i)
      run.add(5 + i, 30);
    Watch watch;
    run.run({&watch});
    return watch.forks;
  };
  const auto alone = forks(4);
  CHECK(alone.at(0) != alone.at(1));
  CHECK(alone == forks(8));
  CHECK(alone == forks(1000));
}

TEST_CASE("copies of shared blocks hold up the step that writes to them") {
  const auto served = [](bool priced) {
    BeamRun run(1000, {4, 1, 0});
    run.add(9, 30);
    run.add(6, 20);
    if (priced)
      run.config.copy_time = [](Bytes bytes) {
        return SimTime(static_cast<std::int64_t>(bytes.value()));
      };
    return run.run();
  };
  const Summary free = served(false), priced = served(true);
  CHECK(free.reclaim.moved_by_copy_on_write.value() > 0);
  CHECK(free.reclaim.moved_by_copy_on_write == priced.reclaim.moved_by_copy_on_write);
  CHECK((priced.run.virtual_time - free.run.virtual_time).value() ==
        static_cast<std::int64_t>(free.reclaim.moved_by_copy_on_write.value()));
}

TEST_CASE("candidates find cached prompts; blocks with output tokens are not cached") {
  BeamRun run(1000, {3, 1, 0});
  run.cache().prefix_caching = true;
  run.key_tokens = 4;
  TraceRequest request = plain_request(10, 20);
  request.block_keys = {1, 2, 3};
  run.add(request);
  request.arrival = SimTime(100 * 1'000'000);
  run.add(request);
  struct Cached final : Observer {
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<BlocksCached>(&event)) blocks += e->blocks.size();
    }
    std::uint64_t blocks = 0;
  } cached;
  const Summary summary = run.run({&cached});
  CHECK(cached.blocks == 2);
  CHECK(summary.serving.hit_tokens_first_admission == 8);
  CHECK(summary.serving.scheduled_tokens == 10 + 2 + 2 * 3 * 19);
}

TEST_CASE("a preempted request finds its prompt again, and computes only what candidates added") {
  BeamRun run(20, apart(3));
  run.cache().prefix_caching = true;
  run.add(8, 20);
  run.add(8, 20);
  Watch watch;
  const Summary summary = run.run({&watch});
  REQUIRE(!watch.preempted.empty());
  std::uint64_t again = summary.serving.recomputed_tokens;
  for (const std::uint32_t known : watch.known_again)
    again -= 3 * (known - 1 - 8);
  CHECK(again + summary.serving.hit_tokens_readmission == 8 * watch.known_again.size());
}

TEST_CASE("candidates have numbers of their own in the event log") {
  BeamRun run(100, apart(3));
  run.add(4, 3);
  run.add(4, 3);
  std::ostringstream lines;
  EventLog log(lines);
  run.run({&log});
  log.flush();
  const std::string text = lines.str();
  using Catch::Matchers::Contains;
  CHECK_THAT(text, Contains(R"("parent":1,"child":200000001})"));
  CHECK_THAT(text, Contains("[1,4,1,0,1],[100000001,4,1,0,1],[200000001,4,1,0,1]"));
  CHECK(candidate_id(SequenceId(42), 3) == SequenceId(300'000'042));
  CHECK(request_of(SequenceId(300'000'042)) == SequenceId(42));
}
