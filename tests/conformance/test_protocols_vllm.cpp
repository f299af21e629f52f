// SPDX-License-Identifier: Apache-2.0
// Protocols A and B of the spec (engines §5 and §6) on the Mooncake conversation trace, against
// counts that vLLM's own memory managers gave.
#include <catch2/catch.hpp>
#include <memory>

#include "sim/metrics/metrics.hpp"
#include "sim/simulation/hash_chain_window.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "tests/support/shared_data.hpp"

using namespace vacancy;

namespace {

EngineProfile with_pool(const char* profile) {
  EngineProfile engine = *find_engine_profile(profile);
  engine.hash_chain->blocks = 32'768;
  return engine;
}

std::unique_ptr<RequestSource> requests(const std::filesystem::path& trace,
                                        std::optional<std::uint64_t> limit = {}) {
  TraceOptions options;
  options.limit = limit;
  return std::make_unique<RequestSource>(open_trace(trace, options), 16);
}

Summary::Serving closed_loop(const char* profile, std::unique_ptr<RequestSource> source) {
  ServingConfig config;
  config.engine = with_pool(profile);
  config.arrivals = ArrivalRule::closed_loop;
  ServingSimulation simulation(config, std::move(source));
  const KvCache& cache = *simulation.cache().cache();
  Metrics metrics(cache.config(), cache.pool(), 0);
  simulation.add_observer(metrics);
  while (simulation.step() == RunStatus::running) {
  }
  return metrics.summary().serving;
}

Summary::Serving cache_only(const char* profile, std::unique_ptr<RequestSource> source) {
  HashChainWindow window(*with_pool(profile).hash_chain, Bytes(), 8, std::move(source));
  while (window.serve()) {
  }
  return window.summary().serving;
}

/// A row of Protocol A.
struct Counts {
  std::uint64_t steps, preemptions, blocks_allocated, evictions, hit_tokens, query_tokens,
      scheduled_tokens;
};

void check(const Summary::Serving& serving, const Counts& counts) {
  CHECK(serving.steps == counts.steps);
  CHECK(serving.preemptions == counts.preemptions);
  CHECK(serving.blocks_allocated == counts.blocks_allocated);
  CHECK(serving.blocks_evicted == counts.evictions);
  CHECK(serving.hit_tokens() == counts.hit_tokens);
  CHECK(serving.query_tokens == counts.query_tokens);
  CHECK(serving.scheduled_tokens == counts.scheduled_tokens);
}

constexpr const char* conversations = "data/mooncake/conversation_trace.jsonl";

}  // namespace

TEST_CASE("Protocol A: the scheduler in a closed loop, first 500 requests") {
  const auto trace = test::shared_file(conversations);
  if (!trace) return;
  check(closed_loop("vllm-main-2026-08", requests(*trace, 500)),
        {6'324, 8, 440'944, 407'702, 308'288, 7'181'641, 7'051'480});
  check(closed_loop("vllm-0.10.0", requests(*trace, 500)),
        {6'299, 201, 442'007, 408'627, 4'603'680, 15'930'946, 7'066'945});
}

TEST_CASE("Protocol A: the scheduler in a closed loop, all 12,031 requests") {
  const auto trace = test::shared_file(conversations);
  if (!trace) return;
  const Summary::Serving main = closed_loop("vllm-main-2026-08", requests(*trace));
  check(main, {104'496, 243, 8'897'359, 8'853'063, 9'581'296, 147'876'999, 142'265'708});
  CHECK(main.hit_tokens_first_admission == 6'716'304);
  CHECK(main.hit_tokens_readmission == 2'864'992);
  check(closed_loop("vllm-0.10.0", requests(*trace)),
        {103'756, 4'778, 8'921'353, 8'872'907, 95'295'728, 327'710'021, 142'616'404});
}

TEST_CASE("Protocol B: the cache alone, eight active requests") {
  const auto trace = test::shared_file(conversations);
  if (!trace) return;
  const Summary::Serving main = cache_only("vllm-main-2026-08", requests(*trace));
  CHECK(main.hit_tokens() == 6'594'384);
  CHECK(main.blocks_allocated == 8'900'705);
  CHECK(main.blocks_evicted == 8'856'681);
  const Summary::Serving old = cache_only("vllm-0.10.0", requests(*trace));
  CHECK(old.hit_tokens() == 6'592'512);
  CHECK(old.blocks_allocated == 8'900'822);
  CHECK(old.blocks_evicted == 8'856'831);
}
