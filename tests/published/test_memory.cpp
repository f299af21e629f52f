// SPDX-License-Identifier: Apache-2.0
// Runs that go out of memory, and runs that do not because they compact. Sources: NVIDIA Efficient
// AI blog, 2026-06-12 (M-2 to M-4, M-15); TriAttention README (M-15).
#include <catch2/catch.hpp>

#include "tests/support/run.hpp"

using namespace vacancy;
using vacancy::test::Run;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30;
// Qwen3-32B: 2 · 64 layers · 8 KV heads · 128 · 2 bytes (M-1).
constexpr std::uint64_t qwen3_32b_token = 262144;

Run qwen3_32b(std::uint32_t prompt, std::uint32_t output, std::uint64_t memory) {
  Run run;
  run.config.cache.block_size = 16;
  run.config.cache.block_bytes = Bytes(16 * qwen3_32b_token);
  run.config.cache.blocks = static_cast<std::uint32_t>(memory / (16 * qwen3_32b_token));
  run.config.sequences = {{prompt, output}};
  run.policy("full");
  run.reclaim("none");
  return run;
}

void compress(Run& run, std::uint32_t budget, std::uint32_t interval) {
  run.config.eviction.budget = budget;
  run.config.eviction.interval = interval;
  run.config.eviction.trigger = TriggerKind::slack;
  run.config.eviction.prompt = PromptRule::pinned_outside;
  run.policy("random");
  run.reclaim("slide");
}

}  // namespace

TEST_CASE("M-2, M-3: Qwen3-32B in 6 GiB fails at token 24,577 of 32,768") {
  Run run = qwen3_32b(0, 32768, 6 * gib);
  CHECK(run.config.cache.blocks == 1536u);
  const Summary summary = run.run();
  REQUIRE(run.simulation->status() == RunStatus::out_of_memory);
  CHECK(run.simulation->out_of_memory()->position + 1 == 24577);
  CHECK(run.simulation->unfinished() == 1);
  CHECK(summary.memory.kv_peak_bytes == Bytes(6 * gib));
  CHECK(32768 * qwen3_32b_token == 8 * gib);
}

TEST_CASE("M-2: 6e9 bytes hold 22,888 tokens, to the block") {
  Run run = qwen3_32b(0, 32768, 6'000'000'000);
  run.run();
  CHECK(run.simulation->out_of_memory()->position == 22880);
}

TEST_CASE("M-3: a prompt that does not fit names its first token without a slot") {
  Run run = qwen3_32b(30000, 10, 6 * gib);
  run.run();
  REQUIRE(run.simulation->status() == RunStatus::out_of_memory);
  CHECK(run.simulation->out_of_memory()->position == 24576);
}

TEST_CASE("M-4: with budget 2,048 and interval 128 the peak is 2,176 tokens and the prompt") {
  for (const std::uint32_t prompt : {0u, 160u, 1024u}) {
    INFO("prompt " << prompt);
    Run run = qwen3_32b(prompt, 32768 - prompt, 6 * gib);
    compress(run, 2048, 128);
    const Summary summary = run.run();
    CHECK(run.simulation->status() == RunStatus::completed);
    CHECK(summary.memory.kv_peak_bytes == Bytes((2176 + prompt) * qwen3_32b_token));
    if (prompt == 0) CHECK(summary.memory.kv_peak_bytes == Bytes(544 << 20));
  }
}

TEST_CASE("M-15, M-16: 10.24 times less at the peak, 10.67 just after a round") {
  Run full = qwen3_32b(0, 32768, 16 * gib);
  CHECK(full.run().memory.kv_peak_blocks == 2048);
  Run run = qwen3_32b(0, 32768, 16 * gib);
  compress(run, 3072, 128);
  std::uint32_t rounds = 0;
  vacancy::test::AfterRound observer([&](std::uint32_t) {
    ++rounds;
    if (run.simulation->cache().pool().held() != 192) FAIL("held after round " << rounds);
  });
  const Summary summary = run.run(&observer);
  CHECK(rounds == (32768 - 3072) / 128);
  CHECK(summary.memory.kv_peak_blocks == 200);
  CHECK(summary.memory.kv_after_round_blocks == 192u);
  CHECK(2048.0 / 200 == Approx(10.24));
  CHECK(2048.0 / 192 == Approx(10.667).margin(5e-4));
}

TEST_CASE("usage and allocation failure trigger rounds where memory is short") {
  for (const TriggerKind trigger : {TriggerKind::usage, TriggerKind::allocation_failure}) {
    INFO(enum_name(trigger));
    Run run = qwen3_32b(0, 8192, gib);  // 256 blocks, 4,096 tokens
    compress(run, 2048, 128);
    run.config.eviction.trigger = trigger;
    const Summary summary = run.run();
    CHECK(run.simulation->status() == RunStatus::completed);
    CHECK(summary.reclaim.rounds == (trigger == TriggerKind::usage ? 3 : 2));
    CHECK(summary.memory.kv_peak_blocks == (trigger == TriggerKind::usage ? 251 : 256));
  }
}

TEST_CASE("sequences decode side by side and leave when they are complete") {
  Run run;
  run.config.cache.block_size = 4;
  run.config.sequences = {{4, 4}, {0, 12}, {8, 0}};
  run.policy("full");
  run.reclaim("none");
  const Summary summary = run.run();
  CHECK(summary.serving.completed == 3);
  CHECK(summary.serving.unfinished == 0);
  // Two prefills, then twelve decode rounds for the longest; the others have left by then.
  CHECK(summary.serving.steps == 2 + 12);
  CHECK(summary.run.virtual_time == millisecond * 14);
  CHECK(run.simulation->cache().pool().held() == 3);
  CHECK(summary.memory.kv_peak_blocks == 3);
}
