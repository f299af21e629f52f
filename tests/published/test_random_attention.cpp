// SPDX-License-Identifier: Apache-2.0
// Random Attention served by vLLM (arXiv 2609.03430), rows of published §5: event counts
// by the trigger of TriAttention's plugin without slack, and the arithmetic of its step model.
#include <catch2/catch.hpp>

#include "sim/device/step_time_model.hpp"
#include "tests/support/run.hpp"

using namespace vacancy;

namespace {

/// Rounds of one request: a prompt of 1,024 tokens beside the budget, K 2,048, every 64 tokens.
std::uint64_t events(std::uint32_t generated) {
  test::Run run;
  run.config.cache = {16, std::nullopt, CacheLayout(1, 1, TableKind::shared, Scope::model),
                      Bytes(16)};
  run.config.sequences = {{1024, generated}};
  run.config.eviction.budget = 2048;
  run.config.eviction.interval = 64;
  run.config.eviction.trigger = TriggerKind::aligned;
  run.config.eviction.prompt = PromptRule::pinned_outside;
  run.policy("random");
  run.reclaim("slide");
  const Summary summary = run.run();
  CHECK(summary.reclaim.skipped_rounds == 0);
  CHECK(run.simulation->cache().sequence(SequenceId(0)).live <= 1024 + 2048 + 63);
  return summary.reclaim.rounds;
}

/// Qwen3-4B, K 2,048: 9.5 ms and 0.415 ms for each resident sequence.
SimTime step_of(std::uint32_t resident) {
  StepTimeCoefficients prices;
  prices.decode[StepTerm::step] = 9.5e6;
  prices.decode[StepTerm::decode] = 0.415e6;
  StepWork work;
  for (std::uint32_t i = 0; i < resident; ++i)
    work.add_decode(2048);
  return step_time(prices, work);
}

double tokens_per_second(std::uint32_t resident) {
  return resident / (static_cast<double>(step_of(resident).value()) * 1e-9);
}

}  // namespace

TEST_CASE("A-4: 481 events a request at 32,768 generated tokens, 461 at 31,500") {
  CHECK(events(32'768) == 481);
  CHECK(events(31'500) == 461);
  CHECK(128 * events(32'768) == 61'568);
  CHECK(128 * events(31'500) == 59'008);
}

TEST_CASE("A-1, A-2: tokens per second of 224 and 128 resident sequences, and the ceiling") {
  CHECK(tokens_per_second(224) == Approx(2188).epsilon(0.002));
  CHECK(tokens_per_second(128) == Approx(2046).epsilon(0.002));
  const double at_128 = static_cast<double>(step_of(128).value());
  CHECK(128 * 0.415e6 / at_128 == Approx(0.848).margin(0.0005));
  CHECK(1e9 / 0.415e6 / 2046 - 1 == Approx(0.178).margin(0.0005));
}

TEST_CASE("A-3: what a barrier of all residents costs an event, 14B") {
  const double extra = 128.0 * 32'768 * (1 / 1303.0 - 1 / 1819.0);
  CHECK(extra == Approx(913).epsilon(0.01));
  CHECK(extra / static_cast<double>(128 * events(32'768)) == Approx(14.8e-3).epsilon(0.01));
}
