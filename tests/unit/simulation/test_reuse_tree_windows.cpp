// SPDX-License-Identifier: Apache-2.0
// TensorRT-LLM with several window sizes: rules T2, T11 and T13 of spec engines.
#include "sim/serving/engine_profile.hpp"
#include "tests/support/table_follower.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Blocks of 4 tokens.
struct WindowEngine {
  explicit WindowEngine(std::vector<WindowPool> windows, CapacityPolicy capacity = {})
      : manager({4, std::move(windows), true, capacity}, seen),
        run(find_engine_profile("trtllm-2026-08")->scheduler, manager, seen) {}

  void add(std::uint32_t id, std::vector<std::uint64_t> keys, std::uint32_t output) {
    Request request = keyed(id, std::move(keys), 4, output);
    ++request.prompt_tokens;  // the last token of a prompt is computed anyway
    run.scheduler.add(std::move(request));
  }

  struct Both final : Observer {
    void on_event(const Event& event) override {
      counting.on_event(event);
      tables.on_event(event);
    }
    Counting counting;
    TableFollower tables;
  } seen;
  ReuseTreeManager manager;
  EngineRun run;
};

std::vector<std::uint64_t> keys(std::uint64_t first, std::uint32_t count) {
  std::vector<std::uint64_t> all;
  for (std::uint32_t i = 0; i < count; ++i)
    all.push_back(first + i);
  return all;
}

}  // namespace

// 12 blocks of the prompt are shared. Whoever lets go of one first frees none and takes another.
TEST_CASE("T13: requests that share blocks of a sliding window never pause (ours)") {
  for (const std::uint32_t blocks : {27u, 28u, 39u, 40u}) {
    WindowEngine engine({{48, {blocks, 0}, Bytes(1)}});
    engine.add(0, keys(1, 12), 1);
    engine.run.drain();
    for (const std::uint32_t id : {1u, 2u, 3u})
      engine.add(id, keys(1, 12), 100);
    std::size_t most_running = 0;
    engine.run.drain([&] {
      REQUIRE_FALSE(engine.manager.tree().find_fault());
      CHECK(engine.seen.tables.held_blocks() == engine.manager.used_blocks());
      most_running = std::max(most_running, engine.run.scheduler.running());
    });
    CHECK(engine.seen.counting.preempted == 0);
    CHECK(engine.seen.counting.completed == 4);
    CHECK(engine.seen.counting.hits[2] == 48);
    CHECK(most_running == blocks / 13);  // each reserves 12 blocks and the one that slides
  }
}

TEST_CASE("T11: a sliding table holds its window and a block, one with full attention all") {
  constexpr std::uint32_t window = 10;
  WindowEngine engine({{window, {60, 0}, Bytes(1)}, {full_window, {90, 0}, Bytes(1)}});
  engine.add(0, keys(1, 9), 200);
  engine.run.advance();
  CHECK(engine.seen.tables.held_by(SequenceId(0), 0) == 10);  // a prompt stands in it whole
  std::uint64_t most = 0;
  for (std::uint32_t slots = 38; slots < 37 + 200; ++slots) {
    engine.run.advance();
    // T11: a block leaves when tokens - left * 4 >= window + 4.
    const std::uint32_t left = slots < window + 4 ? 0 : (slots - window - 4) / 4 + 1;
    const std::uint32_t all = (slots + 3) / 4;
    if (engine.run.scheduler.unfinished() == 0) break;
    CHECK(engine.seen.tables.held_by(SequenceId(0), 0) == all - left);
    CHECK(engine.seen.tables.held_by(SequenceId(0), 1) == all);
    most = std::max(most, engine.seen.tables.held_by(SequenceId(0), 0));
  }
  CHECK(most == (window - 1 + 3) / 4 + 1);
  CHECK(engine.run.scheduler.unfinished() == 0);
  CHECK(engine.manager.used_blocks() == 0);
}

TEST_CASE("T2: what all window sizes have is found; ids of pools do not collide") {
  WindowEngine engine({{8, {20, 0}, Bytes(1)}, {full_window, {30, 0}, Bytes(1)}});
  engine.add(0, keys(1, 4), 3);
  engine.run.drain();
  engine.add(1, keys(1, 4), 3);
  engine.run.advance();
  CHECK(engine.seen.counting.hits == std::vector<std::uint32_t>{0, 16});
  CHECK(engine.seen.tables.held_blocks() == 10);
  CHECK(engine.manager.used_blocks() == 10);
  CHECK(engine.manager.gauges().slots.live == 2 * 17);
  CHECK(engine.manager.usage() == 0.2);
  // A tree for each: five blocks, four of which request 1 found, and holds.
  const std::vector<SharingNode> graph = merged_chains(engine.manager.sharing()).nodes;
  CHECK(graph == std::vector<SharingNode>{{no_sharing_parent, 4, 1, 1},
                                          {0, 1, 0, 0},
                                          {no_sharing_parent, 4, 1, 1},
                                          {2, 1, 0, 0}});
  engine.run.drain();
}

TEST_CASE("T13: an admission needs room in every window size") {
  // The sliding pool has room for one prompt, the other for all.
  for (const auto capacity :
       {CapacityPolicy::guaranteed_no_evict, CapacityPolicy::max_utilization}) {
    WindowEngine engine({{8, {14, 0}, Bytes(1)}, {full_window, {90, 0}, Bytes(1)}}, capacity);
    engine.add(0, keys(1, 9), 10);
    engine.add(1, keys(101, 9), 10);
    engine.run.advance();
    CHECK(engine.run.scheduled() == Ids{0});  // 10 of 14 blocks
    engine.run.advance();                     // it now holds 3 blocks
    CHECK(engine.run.scheduled() == Ids{0, 1});
    engine.run.drain();
    CHECK(engine.seen.counting.preempted == 0);
    CHECK(engine.seen.counting.completed == 2);
  }
}
