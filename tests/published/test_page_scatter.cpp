// SPDX-License-Identifier: Apache-2.0
// Cached blocks scattered over device pages: kvcached issue 359 and its fix, PR 390 (S-1 to S-4 of
// the project's table of published figures), and the closed formula for survivors at random.
#include <catch2/catch.hpp>
#include <cmath>
#include <utility>

#include "sim/metrics/closed_forms.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/shared_blocks/free_plan.hpp"
#include "tests/support/run.hpp"
#include "tests/support/source_dir.hpp"

using namespace vacancy;

namespace {

constexpr double gib = 1 << 30;
constexpr std::uint32_t cap = 1000;  // blocks of 16 tokens

Scenario page_scatter(std::vector<std::string> changes = {}) {
  return load_scenario(test::source_file("/scenarios/shared_prefix/page_scatter.json"),
                       {std::move(changes), std::nullopt});
}

std::unique_ptr<ServingSimulation> run_to_end(const Scenario& scenario) {
  auto simulation = build_serving(scenario);
  simulation->follow_sharing();
  while (simulation->step() == RunStatus::running) {
  }
  REQUIRE(simulation->status() == RunStatus::completed);
  return simulation;
}

/// Pages mapped after `kept` of `blocks` blocks survive at random on pages of n.
std::uint64_t mapped_after(std::uint32_t blocks, std::uint32_t kept, std::uint32_t n,
                           std::uint64_t seed) {
  test::Run run(seed);
  run.config.cache.block_size = 16;
  run.config.cache.block_bytes = Bytes(32);
  run.config.cache.blocks_per_page = n;
  run.config.sequences = {{16 * blocks, 0}};
  run.config.eviction.budget = 16 * kept;
  run.once_at_end();
  run.policy("random", {{"chunk_tokens", std::int64_t{16}}});
  run.reclaim("none");
  const Summary summary = run.run();
  CHECK(summary.pages->mapped.peak == (blocks + n - 1) / n);
  CHECK(summary.pages->useful_blocks.end == kept);
  return summary.pages->mapped.end;
}

}  // namespace

TEST_CASE("S-1: 16,000 tokens of Qwen3-4B are 2.197 GiB") {
  const Bytes bytes = page_scatter().cache.block_bytes * cap;
  CHECK(bytes == Bytes(std::uint64_t{16000} * 147456));
  CHECK(static_cast<double>(bytes.value()) / gib == Approx(2.197).margin(5e-4));
}

TEST_CASE("S-2: least recently used blocks go, and four times their memory stays mapped") {
  const Scenario scenario = page_scatter();
  const auto simulation = run_to_end(scenario);
  const PageUse& pages = *std::as_const(*simulation).cache().cache()->pool().pages();
  REQUIRE(pages.blocks() == cap);
  const double ratio = static_cast<double>(pages.mapped()) * pages.blocks_per_page() / cap;
  CHECK(ratio == Approx(8.9 / 2.2).epsilon(0.1));
  CHECK(pages.mapped() == 61);
  // The published figure is every page that about 64,800 tokens touch.
  const double page_bytes =
      static_cast<double>(scenario.cache.block_bytes.value()) * pages.blocks_per_page();
  CHECK(std::ceil(64800.0 / 16 / 64) * page_bytes / gib == Approx(8.9).epsilon(0.02));
}

TEST_CASE("S-4: as many victims, chosen by page, leave the fewest pages") {
  const Scenario scenario = page_scatter({"prefix.tenant_quota_blocks=0"});
  const auto simulation = run_to_end(scenario);
  const CacheManager& manager = std::as_const(*simulation).cache();
  const CachedBlocks cached = cached_blocks(manager.sharing(), *manager.cache());
  const std::uint64_t mapped = manager.cache()->pool().pages()->mapped();
  REQUIRE(cached.trie.size() > cap);
  const FreePlan plan = free_plan(cached, cached.trie.size() - cap);
  CHECK(mapped - plan.whole_pages.pages == (cap + 63) / 64);
  CHECK(mapped - plan.free_order.pages == mapped);
  CHECK(plan.least->loss <= plan.free_order.loss);
}

// Ours: inside the run, with the quota that S-2 has.
TEST_CASE("page_aware: a quota that drains page after page leaves the fewest pages") {
  const auto mapped = [](const std::string& replacement) {
    const auto simulation = run_to_end(page_scatter({"prefix.replacement=" + replacement}));
    const PageUse& pages = *std::as_const(*simulation).cache().cache()->pool().pages();
    CHECK(pages.blocks() == cap);
    return pages.mapped();
  };
  CHECK(mapped("lru") == 61);
  CHECK(mapped("page_aware") == (cap + 63) / 64);
}

TEST_CASE("S-3: with a quarter of the blocks kept at random every page of 64 stays") {
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    CHECK(static_cast<double>(mapped_after(6400, 1581, 64, seed)) / 100 == Approx(1).epsilon(0.01));
  CHECK(1 - std::pow(1 - 0.247, 64) == Approx(1).epsilon(1e-7));
}

// Spec policies §6.4, two levels: the formula of one-shot evictions with blocks for tokens and
// pages for blocks.
TEST_CASE("pages that survivors at random leave mapped follow the formula for blocks") {
  const auto n = GENERATE(2u, 4u, 8u);
  const std::uint32_t blocks = 800, kept = 200;
  const EmptyBlocks law = empty_blocks(blocks, kept, n);
  const int seeds = 60;
  double sum = 0;
  for (int seed = 0; seed < seeds; ++seed)
    sum += static_cast<double>(mapped_after(blocks, kept, n, static_cast<std::uint64_t>(seed)));
  CHECK(sum / seeds ==
        Approx(blocks / n - law.mean).margin(4 * law.standard_deviation / std::sqrt(seeds)));
}
