// SPDX-License-Identifier: Apache-2.0
// TensorRT-LLM's choices about reuse and retention: rules T6, T12 and T14 of spec engines.
#include "sim/serving/engine_profile.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// Blocks of 4 tokens.
struct ChoiceEngine {
  explicit ChoiceEngine(std::uint32_t blocks, const ReuseTreeOptions& choices = {})
      : manager(with_pool(choices, blocks), seen),
        run(find_engine_profile("trtllm-2026-08")->scheduler, manager, seen) {}

  static ReuseTreeOptions with_pool(ReuseTreeOptions options, std::uint32_t blocks) {
    options.block_size = 4;
    options.windows = one_pool(blocks);
    return options;
  }
  /// Tokens found of a prompt of four blocks, the first of which is `key`'s and the others that of
  /// this request alone.
  std::uint32_t serve(std::uint64_t key, std::uint32_t output = 1) {
    const std::uint64_t own = 1000 + 10 * next;
    run.scheduler.add(keyed(next++, {key, own, own + 1, own + 2}, 4, output));
    run.drain();
    REQUIRE_FALSE(manager.tree().find_fault());
    return seen.hits.back();
  }
  reuse_tree::Counters counts() const { return manager.windows().front().counts; }

  Counting seen;
  std::uint32_t next = 0;
  ReuseTreeManager manager;
  EngineRun run;
};

ReuseTreeOptions retain(std::optional<std::uint32_t> priority, std::optional<double> seconds = {},
                        std::optional<std::uint32_t> tokens = 4) {
  ReuseTreeOptions options;
  options.retention.prompt_priority = priority;
  options.retention.prompt_seconds = seconds;
  options.retention.prompt_tokens = tokens;
  return options;
}

/// What the first request's prompt finds after nine others have gone through the pool.
std::uint32_t found_after_others(ChoiceEngine& engine) {
  for (std::uint64_t key = 0; key < 10; ++key)
    engine.serve(key);
  return engine.serve(0);
}

}  // namespace

TEST_CASE("T12: what prompts begin with stays if they ask for it") {
  ChoiceEngine plain(20), kept(20, retain(80)), all(20, retain(80, {}, {}));
  CHECK(found_after_others(plain) == 0);
  CHECK(found_after_others(kept) == 4);
  CHECK(found_after_others(all) == 0);  // all blocks of prompts alike
}

TEST_CASE("T12: … for as long as they asked, counted from their last use") {
  ChoiceEngine engine(20, retain(80, 2.0));
  CHECK(found_after_others(engine) == 4);
  engine.manager.advance(SimTime(1'999'999'999));
  for (std::uint64_t key = 20; key < 25; ++key)
    engine.serve(key);
  CHECK(engine.serve(0) == 4);  // used again, at this time
  engine.manager.advance(SimTime(3'999'999'998));
  for (std::uint64_t key = 30; key < 35; ++key)
    engine.serve(key);
  CHECK(engine.serve(0) == 4);
  engine.manager.advance(SimTime(10'000'000'000));
  for (std::uint64_t key = 40; key < 45; ++key)
    engine.serve(key);
  CHECK(engine.serve(0) == 0);
}

TEST_CASE("T12: outputs can be worth less than prompts") {
  // Two requests of four blocks for the prompt and four for the output leave the first's prompt and
  // all of the second; then a prompt takes what is oldest, or worth least.
  ReuseTreeOptions choices;
  choices.retention.decode_priority = 0;
  std::vector<std::uint32_t> found;
  for (const ReuseTreeOptions& options : {ReuseTreeOptions{}, choices}) {
    ChoiceEngine engine(12, options);
    engine.serve(1, 17);
    engine.serve(2, 17);
    engine.serve(3);
    found.push_back(engine.serve(1));
  }
  CHECK(found == std::vector<std::uint32_t>{0, 4});
}

TEST_CASE("T6: a block of which a prompt has a part is found, copied if others need it, or not") {
  const auto found = [](bool partial, bool copy, bool others) {
    ReuseTreeOptions options;
    options.partial_reuse = partial;
    options.copy_on_partial_reuse = copy;
    ChoiceEngine engine(40, options);
    engine.run.scheduler.add(keyed(0, {1, 2}, 4, 1));
    engine.run.drain();
    if (others) {  // runs on, and holds both blocks; its third has tokens of its own
      Request longer = keyed(1, {1, 2}, 4, 30);
      longer.prompt_tokens += 2;
      engine.run.scheduler.add(longer);
      engine.run.advance();
      engine.run.advance();
    }
    engine.run.scheduler.add(keyed(others ? 2 : 1, {1, 2}, 4, 2));
    engine.run.advance();
    const std::uint32_t hit = engine.seen.hits.back();
    engine.run.drain();
    CHECK(engine.counts().copied == (hit == 7 && others ? 1 : 0));
    return hit;
  };
  // The last token of a prompt of 8 is computed: 7 could be found.
  CHECK(found(true, true, false) == 7);
  CHECK(found(true, false, false) == 7);  // a free leaf is taken
  CHECK(found(false, false, false) == 4);
  CHECK(found(true, true, true) == 7);
  CHECK(found(true, false, true) == 4);
  CHECK(found(false, false, true) == 4);
}

TEST_CASE("T14: every block of a prompt was found or missed, and taken or shared") {
  ChoiceEngine engine(100);
  std::uint64_t prompts = 0, outputs = 0;
  for (std::uint64_t key = 0; key < 12; ++key) {
    engine.serve(key % 3, 9);
    prompts += 4;
    outputs += 2;  // room for 8 of 9 tokens
  }
  const reuse_tree::Counters counts = engine.counts();
  CHECK(counts.reused + counts.missed == prompts);
  CHECK(counts.reused == 9);
  CHECK(counts.reused_unique == 3);
  CHECK(counts.reused_tokens == 9 * 4);
  CHECK(counts.alloc_total == prompts - counts.reused + outputs);
  CHECK(counts.alloc_total == engine.seen.allocated);
  CHECK(counts.alloc_new == counts.alloc_total);  // the pool is large
  CHECK(counts.hit_ratio() == 9.0 / 48);
}
