// SPDX-License-Identifier: Apache-2.0
// SGLang under continuous batching: rules S5, S10 to S13 of spec engines.
#include "sim/serving/engine_profile.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

struct SglangEngine {
  explicit SglangEngine(std::uint32_t pages, std::uint32_t page = 1, std::uint32_t budget = 8192)
      : manager({{.page_size = page}, false, pages}, seen),
        run(options(page, budget), manager, seen) {}

  static SchedulerOptions options(std::uint32_t page, std::uint32_t budget) {
    SchedulerOptions options = find_engine_profile("sglang-2026-07")->scheduler;
    options.max_num_batched_tokens = budget;
    options.chunk_unit = page;
    return options;
  }

  Counting seen;
  RadixManager manager;
  EngineRun run;
};

}  // namespace

TEST_CASE("S12: a request is admitted if prompt, output and a page are less than what is free") {
  for (const std::uint32_t output : {10u, 9u}) {
    SglangEngine engine(100);
    engine.run.scheduler.add(plain(0, 89, output));  // 89 + 10 + 1 = 100 is not less than 100
    engine.run.advance();
    CHECK(engine.seen.rejected == (output == 10 ? 1 : 0));
  }
}

TEST_CASE("S12: of the output still to come no more than 4,096 tokens count") {
  SglangEngine engine(5000);
  engine.run.scheduler.add(plain(0, 900, 1'000'000));
  engine.run.advance();
  CHECK(engine.run.scheduler.running() == 1);
}

TEST_CASE("S12: running requests reserve a falling share of their output") {
  SglangEngine engine(1000);
  engine.run.scheduler.add(plain(0, 100, 800));
  engine.run.advance();
  // 0.7 × 799 of 900 free tokens are reserved: 340 are left.
  engine.run.scheduler.add(plain(1, 300, 100));
  engine.run.advance();
  CHECK(engine.run.scheduler.running() == 1);
  std::uint32_t steps = 0;
  for (; engine.run.scheduler.running() == 1; ++steps)
    engine.run.advance();
  CHECK(steps > 1);
  CHECK(steps < 300);
  CHECK(engine.manager.new_token_ratio() < 0.7);
}

TEST_CASE("S10: the last token of a prompt is computed, and no more of it") {
  SglangEngine engine(1000);
  engine.run.scheduler.add(keyed(0, {7, 8}, 10, 1));
  engine.run.advance();
  engine.run.scheduler.add(keyed(1, {7, 8}, 10, 1));
  engine.run.advance();
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 19});
}

TEST_CASE("a step computes prompts or decodes, prompts first") {
  SglangEngine engine(1000);
  engine.run.scheduler.add(plain(0, 50, 5));
  engine.run.advance();
  engine.run.scheduler.add(plain(1, 50, 5));
  CHECK((engine.run.advance(), engine.run.scheduled()) == Ids{1});
  CHECK((engine.run.advance(), engine.run.scheduled()) == Ids{0, 1});
}

TEST_CASE("S5: each chunk of a prompt is cached before the next is computed") {
  SglangEngine engine(1000, 1, 40);
  engine.run.scheduler.add(plain(0, 100, 5));
  engine.run.advance();
  CHECK(engine.manager.radix().tree().size() == 0);
  engine.run.advance();
  CHECK(engine.manager.radix().tree().protected_tokens() == 40);
  engine.run.advance();
  CHECK(engine.manager.radix().tree().protected_tokens() == 100);
  engine.manager.check_invariants();
}

TEST_CASE("a chunk after which more is left ends with a page") {
  SglangEngine engine(100, 16, 100);
  engine.run.scheduler.add(plain(0, 250, 5));
  CHECK(engine.run.advance().scheduled.at(0).tokens == 96);
  CHECK(engine.run.advance().scheduled.at(0).tokens == 96);
  CHECK(engine.run.advance().scheduled.at(0).tokens == 58);
}

TEST_CASE(
    "S13: when decoding lacks slots the least output is retracted, on ties the longest prompt") {
  SglangEngine engine(1600);
  engine.run.scheduler.add(plain(0, 30, 1200));
  for (std::uint32_t i = 0; i < 650; ++i)
    engine.run.advance();
  // By now so little is reserved for request 0 that two more fit beside it, for a while.
  engine.run.scheduler.add(plain(1, 60, 350));
  engine.run.scheduler.add(plain(2, 40, 350));
  engine.run.advance();
  REQUIRE(engine.run.scheduler.running() == 3);
  for (std::uint32_t i = 0; i < 300 && engine.run.step.preempted.empty(); ++i)
    engine.run.advance();
  CHECK(engine.run.step.preempted == std::vector<SequenceId>{SequenceId(1)});
  CHECK(engine.run.scheduled() == Ids{0, 2});
  engine.manager.check_invariants();
  // What it generated is not in the tree: only its prompt is found again.
  CHECK(engine.manager.lookup(plain(1, 60, 350), 300) == 60);
  engine.run.drain();
  CHECK(engine.seen.hits.back() <= 60);
  CHECK(engine.seen.completed == 3);
}

TEST_CASE("S13: a retraction raises the estimate, steps without one lower it") {
  NewTokenRatio ratio;
  CHECK(ratio.value() == 0.7);
  ratio.decay();
  CHECK(ratio.value() < 0.7);
  for (int i = 0; i < 700; ++i)
    ratio.decay();
  CHECK(ratio.value() == Approx(0.098));
  ratio.retracted(300, 999, 10);
  CHECK(ratio.value() == Approx(0.5));
  ratio.retracted(999, 999, 100);
  CHECK(ratio.value() == 1.0);
}

TEST_CASE("SGLang finds nothing across tenants") {
  SglangEngine engine(1000);
  engine.run.scheduler.add(keyed(0, {7, 8}, 10, 2, 1));
  engine.run.drain();
  engine.run.scheduler.add(keyed(1, {7, 8}, 10, 2, 2));
  engine.run.drain();
  engine.run.scheduler.add(keyed(2, {7, 8}, 10, 2, 1));
  engine.run.drain();
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 0, 19});
}

TEST_CASE("S14: an admission loads back what the host has, and counts it as found") {
  SglangEngine engine(120);
  RadixOptions options{{.host = {1000, HostWrite::write_back}}, false, 120, Bytes(1)};
  RadixManager manager(options, engine.seen);
  EngineRun run(SglangEngine::options(1, 8192), manager, engine.seen);
  run.scheduler.add(keyed(0, {1, 2, 3, 4}, 20, 2));
  run.drain();
  CHECK(manager.take_host_traffic().written_back == Bytes(0));
  run.scheduler.add(keyed(1, {5, 6, 7, 8}, 20, 2));  // does not fit beside the first
  run.drain();
  HostTraffic traffic = manager.take_host_traffic();
  CHECK(traffic.written_back > Bytes(0));
  CHECK(traffic.written == Bytes(0));
  CHECK(traffic.loaded == Bytes(0));
  CHECK(manager.lookup(keyed(2, {1, 2, 3, 4}, 20, 2), 80) == 79);
  run.scheduler.add(keyed(2, {1, 2, 3, 4}, 20, 2));
  run.compose();
  manager.check_invariants();
  CHECK(run.step.scheduled.at(0).tokens == 1);
  traffic = manager.take_host_traffic();
  CHECK(traffic.loaded == Bytes(79));
  CHECK(manager.gauges().host_hit_tokens == 79);
  CHECK(engine.seen.hits.back() == 79);
  run.scheduler.complete(run.step);
  run.drain();
  manager.check_invariants();
}
