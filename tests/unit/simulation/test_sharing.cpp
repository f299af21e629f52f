// SPDX-License-Identifier: Apache-2.0
// Which cached blocks requests share, in the three kinds of prefix index.
#include <memory>

#include "sim/pool/sharing_graph.hpp"
#include "sim/serving/engine.hpp"
#include "tests/unit/simulation/engine_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

constexpr std::uint32_t block_size = 4, pool_blocks = 100;
constexpr const char* paged_engines[] = {"vllm-main-2026-08", "vllm-0.10.0", "sglang-2026-07",
                                         "trtllm-2026-08"};

EngineProfile small_pool(const char* name) {
  EngineProfile profile = *find_engine_profile(name);
  if (profile.hash_chain) {
    profile.hash_chain->block_size = block_size;
    profile.hash_chain->blocks = pool_blocks;
  } else if (profile.radix) {
    profile.radix->cache.page_size = block_size;
    profile.radix->pages = pool_blocks;
  } else {
    profile.reuse_tree->block_size = block_size;
    profile.reuse_tree->windows = one_pool(pool_blocks);
  }
  return profile;
}

struct SharingEngine {
  explicit SharingEngine(const char* name)
      : profile(small_pool(name)),
        manager(make_cache_manager(profile, Bytes(1), seen)),
        run(profile.scheduler, *manager, seen) {
    manager->follow_sharing();
  }

  void serve(std::uint32_t id, std::vector<std::uint64_t> keys, std::uint32_t output = 1) {
    run.scheduler.add(keyed(id, std::move(keys), block_size, output));
  }
  std::vector<SharingNode> graph() const { return merged_chains(manager->sharing()).nodes; }

  Counting seen;
  EngineProfile profile;
  std::unique_ptr<CacheManager> manager;
  EngineRun run;
};

}  // namespace

// Prompts 1234, 1256, 1237 of one letter a block, one after another. The second finds 12, the third
// 123:
//   12 ── 3 ── 4
//    │    └── 7
//    └─ 56
TEST_CASE("the sharing graph of three prompts is the same in every index") {
  for (const char* name : paged_engines) {
    CAPTURE(name);
    SharingEngine engine(name);
    engine.serve(0, {1, 2, 3, 4});
    engine.run.drain();
    CHECK(engine.graph() == std::vector<SharingNode>{{no_sharing_parent, 4, 0, 0}});
    engine.serve(1, {1, 2, 5, 6});
    engine.run.drain();
    engine.serve(2, {1, 2, 3, 7});
    engine.run.drain();
    CHECK(
        engine.graph() ==
        std::vector<SharingNode>{
            {no_sharing_parent, 2, 0, 2}, {0, 1, 0, 1}, {1, 1, 0, 0}, {1, 1, 0, 0}, {0, 2, 0, 0}});
    CHECK(engine.manager->gauges().shared_blocks == 0);
  }
}

TEST_CASE("blocks that running requests share are counted, and what that saves") {
  for (const char* name : paged_engines) {
    CAPTURE(name);
    SharingEngine engine(name);
    engine.serve(0, {1, 2, 3, 4});
    engine.run.drain();
    engine.serve(1, {1, 2, 3, 8}, 9);
    engine.serve(2, {1, 2, 9, 10}, 9);
    engine.serve(3, {1, 2, 11, 12}, 9);
    engine.run.advance();
    REQUIRE(engine.run.scheduler.running() == 3);
    CHECK(engine.manager->gauges().shared_blocks == 2);  // 1 and 2
    CHECK(engine.manager->gauges().saved_blocks == 4);   // each would be there three times
    const SharingNode first = engine.graph().front();
    CHECK(first == SharingNode{no_sharing_parent, 2, 3, 3});
    engine.run.drain();
    CHECK(engine.manager->gauges().shared_blocks == 0);
    CHECK(engine.manager->gauges().saved_blocks == 0);
  }
}

TEST_CASE("contents that a new request displaces leave the graph") {
  for (const char* name : {"vllm-main-2026-08", "vllm-0.10.0"}) {
    CAPTURE(name);
    SharingEngine engine(name);
    engine.serve(0, {1, 2, 3, 4});
    engine.run.drain();
    std::vector<std::uint64_t> others;
    for (std::uint64_t key = 1000; key < 1000 + pool_blocks - 3; ++key)
      others.push_back(key);
    engine.serve(1, others);
    engine.run.drain();
    // Three blocks are left to 1234, whose tail goes first, beside the long prompt; its generated
    // token needs none, since it is not computed.
    CHECK(engine.graph() == std::vector<SharingNode>{{no_sharing_parent, 3, 0, 0},
                                                     {no_sharing_parent, pool_blocks - 3, 0, 0}});
  }
}

// V12.
TEST_CASE("vLLM's prefix cache is reset unless a block is in use") {
  SharingEngine engine("vllm-main-2026-08");
  auto& manager = dynamic_cast<HashChainManager&>(*engine.manager);
  engine.serve(0, {1, 2, 3, 4}, 3);
  engine.run.advance();
  const std::uint32_t cached = manager.index().size();
  CHECK(cached == 4);
  CHECK_FALSE(manager.reset_prefix_cache());
  CHECK(manager.index().size() == cached);
  engine.run.drain();

  std::vector<BlockId> before, after;
  const FreeQueue& queue = manager.cache()->pool().free_queue();
  queue.for_each([&](BlockId block) { before.push_back(block); });
  CHECK(manager.reset_prefix_cache());
  CHECK(engine.seen.cleared == 1);
  queue.for_each([&](BlockId block) { after.push_back(block); });
  CHECK(before == after);
  CHECK(manager.index().size() == 0);
  CHECK(engine.graph().empty());

  engine.serve(1, {1, 2, 3, 4});
  engine.run.drain();
  CHECK(engine.seen.hits == std::vector<std::uint32_t>{0, 0});
}
