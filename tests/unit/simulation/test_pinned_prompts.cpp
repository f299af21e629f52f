// SPDX-License-Identifier: Apache-2.0
// prefix.pinned_requests in the engines that have it.
#include "sim/pool/sequence_ids.hpp"
#include "sim/serving/engine_profile.hpp"
#include "sim/serving/sglang/radix_manager.hpp"
#include "sim/serving/vllm/hash_chain_manager.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t tokens_per_block = 4, blocks_in_all = 20;

/// The same system prompt of 9 blocks at the start and at the end, and between them prompts that
/// fill the pool many times.
void serve(CacheManager& manager, const SchedulerOptions& options, Counting& seen) {
  EngineRun run(options, manager, seen);
  const auto prompt = [](std::uint32_t id, std::uint64_t first, std::uint32_t count) {
    std::vector<std::uint64_t> keys;
    for (std::uint64_t key = 0; key < count; ++key)
      keys.push_back(first + key);
    return keyed(id, keys, tokens_per_block, 1);
  };
  run.scheduler.add(prompt(0, 0, 9));
  run.drain();
  for (std::uint32_t id = 1; id <= 30; ++id) {
    run.scheduler.add(prompt(id, 1000 * id, 7));
    run.drain();
  }
  run.scheduler.add(prompt(31, 0, 9));
  run.drain();
}

HashChainOptions vllm(const PinnedPrefixes& pinned) {
  HashChainOptions options = *find_engine_profile("vllm-main-2026-08")->hash_chain;
  options.block_size = tokens_per_block;
  options.blocks = blocks_in_all;
  options.pinned = pinned;
  return options;
}

}  // namespace

TEST_CASE("vLLM: a pinned prompt is found after everything else was evicted") {
  const SchedulerOptions scheduler = find_engine_profile("vllm-main-2026-08")->scheduler;
  const auto found_at_last = [&](const PinnedPrefixes& pinned) {
    Counting seen;
    HashChainManager manager(vllm(pinned), Bytes(1), seen);
    serve(manager, scheduler, seen);
    CHECK(seen.rejected == 0);
    // The last token is computed always (V13), and what is pinned is held to the end.
    const std::uint32_t held = pinned.of(0, 9 * tokens_per_block);
    CHECK(manager.used_blocks() == held / tokens_per_block);
    if (held > 0) CHECK(manager.cache()->sequence(pin_id(SequenceId(0))).live == held);
    return seen.hits.back();
  };
  CHECK(found_at_last({}) == 0);
  CHECK(found_at_last({{{0, 0}}, {}}) == 8 * tokens_per_block);
  CHECK(found_at_last({{{0, 0}}, 5 * tokens_per_block}) == 5 * tokens_per_block);
  CHECK(found_at_last({{{40, 50}}, {}}) == 0);
}

TEST_CASE("vLLM: pinned blocks are the same for a replacement policy") {
  Counting seen;
  HashChainOptions options = vllm({{{0, 0}}, {}});
  options.replacement = find_replacement("mru");
  HashChainManager manager(options, Bytes(1), seen);
  serve(manager, find_engine_profile("vllm-main-2026-08")->scheduler, seen);
  CHECK(seen.hits.back() == 8 * tokens_per_block);
}

TEST_CASE("vLLM: what does not fit beside pinned blocks is rejected") {
  Counting seen;
  HashChainManager manager(vllm({{{0, 0}}, {}}), Bytes(1), seen);
  EngineRun run(find_engine_profile("vllm-main-2026-08")->scheduler, manager, seen);
  run.scheduler.add(keyed(0, {0, 1, 2, 3, 4, 5, 6, 7}, tokens_per_block, 1));
  run.drain();
  run.scheduler.add(plain(1, (blocks_in_all - 8) * tokens_per_block, 1));
  run.drain();
  CHECK(seen.rejected == 0);
  run.scheduler.add(plain(2, (blocks_in_all - 7) * tokens_per_block, 1));
  run.drain();
  CHECK(seen.rejected == 1);
}

TEST_CASE("SGLang: a pinned prompt is found after everything else was evicted") {
  const SchedulerOptions scheduler = [] {
    SchedulerOptions options = find_engine_profile("sglang-2026-07")->scheduler;
    options.chunk_unit = tokens_per_block;
    return options;
  }();
  const auto found_at_last = [&](const PinnedPrefixes& pinned) {
    Counting seen;
    RadixOptions options{{.page_size = tokens_per_block}, false, blocks_in_all};
    options.pinned = pinned;
    RadixManager manager(options, seen);
    serve(manager, scheduler, seen);
    manager.check_invariants();
    CHECK(seen.rejected == 0);
    CHECK(manager.used_blocks() == pinned.of(0, 9 * tokens_per_block) / tokens_per_block);
    return seen.hits.back();
  };
  CHECK(found_at_last({}) == 0);
  CHECK(found_at_last({{{0, 0}}, {}}) == 8 * tokens_per_block);
  CHECK(found_at_last({{{0, 0}}, 5 * tokens_per_block}) == 5 * tokens_per_block);
}
