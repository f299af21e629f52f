// SPDX-License-Identifier: Apache-2.0
// One eviction of random survivors. The row names are those of the project's table of published
// figures; sources: NVIDIA Efficient AI blog "KV Cache Compression and Its Infra Problems",
// 2026-06-12, and the public explainer "Why evicting 90% of the KV cache frees so little memory".
#include <catch2/catch.hpp>
#include <cmath>

#include "sim/metrics/closed_forms.hpp"
#include "tests/support/run.hpp"

using namespace vacancy;
using vacancy::test::Run;

namespace {

Run evict(std::uint32_t tokens, std::uint32_t kept, std::uint32_t block, const char* reclaim,
          std::uint64_t seed, std::int64_t chunk = 1) {
  Run run(seed);
  run.config.cache.block_size = block;
  run.config.cache.block_bytes = Bytes(block * 2);
  run.config.sequences = {{tokens, 0}};
  run.config.eviction.budget = kept;
  run.once_at_end();
  run.policy("random", {{"chunk_tokens", chunk}});
  run.reclaim(reclaim);
  return run;
}

/// Mean of blocks freed over seeds.
double mean_freed(std::uint32_t tokens, std::uint32_t kept, std::uint32_t block, int seeds,
                  std::int64_t chunk = 1) {
  double sum = 0;
  for (int seed = 0; seed < seeds; ++seed) {
    Run run = evict(tokens, kept, block, "none", static_cast<std::uint64_t>(seed), chunk);
    sum += static_cast<double>(run.run().reclaim.blocks_freed_by_eviction);
  }
  return sum / seeds;
}

}  // namespace

TEST_CASE("F-1, F-3, F-4: 14,000 of 16,000 tokens evicted give back 118 of 1,000 blocks") {
  const double mean = mean_freed(16000, 2000, 16, 200);
  CHECK(mean == Approx(117.94).margin(2.4));
  CHECK(std::pow(0.875, 16) == Approx(0.1181).margin(5e-5));
  CHECK(1000 - mean == Approx(882).margin(2.5));
}

TEST_CASE("F-2, F-4: with compaction 875, and an adversary's survivors give back nothing") {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    CHECK(evict(16000, 2000, 16, "slide", seed).run().reclaim.blocks_freed_by_eviction == 875);

  Run adversary = evict(16000, 1000, 16, "none", 0);
  adversary.policy("keep_list", {{"pattern", std::string("one_per_block")}});
  const Summary summary = adversary.run();
  CHECK(summary.reclaim.evicted_set_tokens == 15000);
  CHECK(summary.reclaim.blocks_freed_by_eviction == 0);
}

// Hypergeometric law, spec policies §6.1; N = 16,000, k = 2,000.
TEST_CASE("F-1, F-5: block sizes 1 to 128") {
  struct Row {
    std::uint32_t block;
    double free;
    std::int64_t compacted;
  };
  const auto row = GENERATE(Row{1, 14000, 14000}, Row{2, 6124.9, 7000}, Row{4, 2344.6, 3500},
                            Row{8, 687.0, 1750}, Row{16, 117.9, 875}, Row{32, 6.94, 437},
                            Row{64, 0.048, 218}, Row{128, 4e-6, 109});
  INFO("block " << row.block);
  const EmptyBlocks law = empty_blocks(16000, 2000, row.block);
  CHECK(law.mean == Approx(row.free).epsilon(0.02).margin(0.05));
  const int seeds = 40;
  const double band = 4 * law.standard_deviation / std::sqrt(seeds);
  CHECK(mean_freed(16000, 2000, row.block, seeds) == Approx(law.mean).margin(band + 1e-4));
  CHECK(evict(16000, 2000, row.block, "slide", 3).run().reclaim.blocks_freed_by_eviction ==
        row.compacted);
}

TEST_CASE("F-6: 4,096 tokens to 2,048") {
  CHECK(empty_blocks(4096, 2048, 16).mean == Approx(0.0038).margin(1e-4));
  CHECK(empty_blocks(4096, 2048, 8).mean == Approx(1.99).margin(0.01));
  const int seeds = 200;
  CHECK(mean_freed(4096, 2048, 16, seeds) < 0.05);
  CHECK(mean_freed(4096, 2048, 8, seeds) ==
        Approx(1.99).margin(4 * empty_blocks(4096, 2048, 8).standard_deviation / std::sqrt(seeds)));
  CHECK(evict(4096, 2048, 16, "slide", 0).run().reclaim.blocks_freed_by_eviction == 128);
  CHECK(evict(4096, 2048, 8, "slide", 0).run().reclaim.blocks_freed_by_eviction == 256);
}

// Aligned random chunks of c tokens: C(M−B/c, k/c) / C(M, k/c) with M = N/c, spec policies §6.2.
TEST_CASE("F-12: aligned random chunks of 1, 2, 4, 8 and 16 tokens") {
  struct Row {
    std::uint32_t chunk;
    double share;
  };
  const auto row =
      GENERATE(Row{1, 0.1179}, Row{2, 0.3434}, Row{4, 0.5861}, Row{8, 0.7656}, Row{16, 0.875});
  INFO("chunks of " << row.chunk);
  const EmptyBlocks law = empty_blocks(16000 / row.chunk, 2000 / row.chunk, 16 / row.chunk);
  CHECK(law.mean / 1000 == Approx(row.share).margin(1e-4));
  const int seeds = 60;
  CHECK(mean_freed(16000, 2000, 16, seeds, row.chunk) ==
        Approx(law.mean).margin(4 * law.standard_deviation / std::sqrt(seeds) + 1e-9));
}

// The harmonic of spec policies §6.1 for several sets on one table: P^m.
TEST_CASE("independent head sets on one table give back nothing") {
  Run run = evict(4096, 512, 16, "none", 0);
  run.config.cache.layout = CacheLayout(2, 4, TableKind::shared, Scope::per_layer_per_head);
  const Summary summary = run.run();
  CHECK(summary.reclaim.evicted_set_tokens == 8 * 3584);
  CHECK(summary.reclaim.evicted_tokens().value() == 3584.0);
  CHECK(summary.reclaim.blocks_freed_by_eviction == 0);
  // Share of slots live in at least one of m sets: 1 − (1 − k/N)^m, spec policies §6.2.
  const double live = static_cast<double>(summary.memory.live_slots.end) / 4096;
  CHECK(live == Approx(1 - std::pow(1 - 512.0 / 4096, 8)).margin(0.03));
}
