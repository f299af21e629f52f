// SPDX-License-Identifier: Apache-2.0
// Rules V3, V11, V13 and V15–V17 of spec engines §1 on vLLM's memory manager.
#include <catch2/catch.hpp>
#include <map>

#include "tests/support/random.hpp"
#include "tests/support/vllm_use.hpp"

using namespace vacancy;
using namespace vacancy::test;
using Ids = VllmUse::Ids;

namespace {

const std::string main_profile = "vllm-main-2026-08", old_profile = "vllm-0.10.0";

Ids tokens(std::uint32_t count, std::uint32_t first = 100) {
  return ascending(first, count);
}

}  // namespace

// Four tenants say the same few things. Whatever a request finds must have been written for its own
// tenant.
TEST_CASE("V3: no hit ever crosses tenants", "[property]") {
  for (const EngineProfile& profile : engine_profiles()) {
    if (!profile.hash_chain) continue;
    DYNAMIC_SECTION(profile.name) {
      constexpr std::uint32_t block_size = 4, blocks = 40;
      Random random(7);
      VllmUse use(vllm_profile(profile.name, block_size, blocks));
      std::vector<std::uint32_t> writer(blocks + 1, 0);  // tenant that filled a block last
      std::vector<std::uint32_t> running;
      std::map<std::pair<std::uint32_t, Ids>, bool> said;
      std::uint64_t hits = 0, withheld = 0;
      for (std::uint32_t id = 0; id < 4000; ++id) {
        const std::uint32_t tenant = random.below(4);
        const Ids prompt = tokens(5 + random.below(12), 100 * random.below(3));
        if (running.size() > 3 || !use.admit(id, prompt, {.tenant = tenant})) {
          while (!running.empty()) {
            use.finish(running.back());
            running.pop_back();
          }
          continue;
        }
        running.push_back(id);
        const Ids table = use.table(id);
        for (std::size_t i = 0; i < table.size(); ++i) {
          if (i < use.hit() / block_size) REQUIRE(writer[table[i]] == tenant);
          writer[table[i]] = tenant;
        }
        hits += use.hit();
        withheld += use.hit() == 0 && said.count({(tenant + 1) % 4, prompt}) == 1;
        said[{tenant, prompt}] = true;
      }
      CHECK(hits > 10'000);
      CHECK(withheld > 10);
    }
  }
}

TEST_CASE("V3: a tenant's blocks are its own, and wait for it") {
  VllmUse use(vllm_profile(main_profile, 4, 20));
  REQUIRE(use.admit(r0, tokens(9), {.tenant = 1}));
  REQUIRE(use.admit(r1, tokens(9), {.tenant = 2}));
  CHECK(use.hit() == 0);
  REQUIRE(use.admit(r2, tokens(9), {.tenant = 1}));
  CHECK(use.hit() == 8);
}

TEST_CASE("V11: usage leaves the null block out on main, and counts it in v0.10.0") {
  VllmUse now(vllm_profile(main_profile, 4, 9));
  VllmUse old(vllm_profile(old_profile, 4, 9));
  CHECK(now.manager().usage() == 0);
  CHECK(old.manager().usage() == Approx(1.0 / 10));
  REQUIRE(now.admit(r0, tokens(12)));
  REQUIRE(old.admit(r0, tokens(12)));
  CHECK(now.manager().usage() == Approx(3.0 / 9));
  CHECK(old.manager().usage() == Approx(4.0 / 10));
}

TEST_CASE("V13: the last token is always computed, with its whole block") {
  struct Case {
    std::uint32_t block_size, prompt, hit;
  };
  for (const auto& [block_size, prompt, hit] :
       {Case{4, 8, 4}, Case{4, 9, 8}, Case{4, 4, 0}, Case{1, 5, 4}, Case{16, 33, 32}}) {
    INFO(block_size << ", " << prompt);
    VllmUse use(vllm_profile(main_profile, block_size, 100));
    REQUIRE(use.admit(r0, tokens(prompt)));
    REQUIRE(use.admit(r1, tokens(prompt)));
    CHECK(use.hit() == hit);
  }
}

TEST_CASE("V13, V21: a preempted request finds what it generated, too") {
  VllmUse use(vllm_profile(main_profile, 4, 20));
  REQUIRE(use.admit(r0, tokens(6)));
  REQUIRE(use.decode(r0, {200, 201, 202}));
  use.preempt(r0);
  REQUIRE(use.admit(r0, joined(tokens(6), {200, 201, 202})));
  CHECK(use.hit() == 8);
  CHECK(use.table(r0) == Ids{1, 2, 3});
}

TEST_CASE("V15a, V16: main admits a chunk only if the whole sequence fits, v0.10.0 at once") {
  VllmUse now(vllm_profile(main_profile, 4, 4));
  CHECK_FALSE(now.admit(r0, tokens(17), {.budget = 8}));
  CHECK(now.free_queue() == Ids{1, 2, 3, 4});
  CHECK(now.admit(r0, tokens(16), {.budget = 8}));

  VllmUse old(vllm_profile(old_profile, 4, 4));
  CHECK(old.admit(r0, tokens(17), {.budget = 8}));
  CHECK(old.table(r0) == Ids{1, 2});
}

TEST_CASE("the gate is a check, not a reservation: later chunks may fail (engines §8.8)") {
  VllmUse use(vllm_profile(main_profile, 4, 5));
  REQUIRE(use.admit(r0, tokens(16), {.budget = 8}));
  REQUIRE(use.admit(r1, tokens(12, 300)));
  const Ids hashed = use.hashed();
  CHECK_FALSE(use.chunk(r0, 8));
  CHECK(use.free_queue().empty());
  CHECK(use.table(r0) == Ids{1, 2});
  CHECK(use.hashed() == hashed);
}

TEST_CASE("V15c: hits that wait in the free queue are needed as well; hits in use cost nothing") {
  SECTION("free") {
    VllmUse use(vllm_profile(main_profile, 4, 3));
    REQUIRE(use.admit(r0, tokens(8)));
    use.finish(r0);
    CHECK_FALSE(use.admit(r1, tokens(16)));  // two found, two new: four of three
    CHECK(use.hit() == 8);
    CHECK(use.free_queue() == Ids{3, 2, 1});
    CHECK(use.admit(r2, tokens(12)));
    CHECK(use.table(r2) == Ids{1, 2, 3});
  }
  SECTION("in use") {
    VllmUse use(vllm_profile(main_profile, 4, 4));
    REQUIRE(use.admit(r0, tokens(8)));
    CHECK(use.admit(r1, tokens(16)));
    CHECK(use.table(r1) == Ids{1, 2, 3, 4});
  }
}

TEST_CASE("V15e: what was found is touched before anything is allocated") {
  VllmUse use(vllm_profile(old_profile, 4, 2));
  REQUIRE(use.admit(r0, tokens(4)));
  use.finish(r0);
  REQUIRE(use.admit(r1, tokens(4, 300)));
  use.finish(r1);
  REQUIRE(use.free_queue() == Ids{1, 2});
  REQUIRE(use.admit(r2, tokens(5)));  // finds block 1, which is next to be allocated
  CHECK(use.hit() == 4);
  CHECK(use.table(r2) == Ids{1, 2});
  CHECK(use.hashed() == Ids{1});
}

TEST_CASE("V15f: a block is hashed when its tokens are computed, not when it is allocated") {
  VllmUse use(vllm_profile(main_profile, 4, 10));
  REQUIRE(use.admit(r0, tokens(16), {.budget = 6}));
  CHECK(use.hashed() == Ids{1});
  REQUIRE(use.chunk(r0, 1));
  CHECK(use.hashed() == Ids{1});
  REQUIRE(use.chunk(r0, 1));
  CHECK(use.hashed() == Ids{1, 2});
  REQUIRE(use.chunk(r0, 8));
  CHECK(use.hashed() == Ids{1, 2, 3, 4});
}

TEST_CASE("V15b, V27: blocks leave the window even if there is no room then") {
  HashChainOptions options = vllm_profile(main_profile, 4, 5);
  options.groups = {CacheGroup{}, CacheGroup{4}};
  options.prefix_caching = false;
  options.full_sequence_gate = false;
  VllmUse use(options);
  REQUIRE(use.admit(r0, tokens(20), {.budget = 8}));
  CHECK(use.table(r0, 1) == Ids{3, 4});
  CHECK_FALSE(use.chunk(r0, 12));
  CHECK(use.table(r0, 0) == Ids{1, 2});
  CHECK(use.table(r0, 1) == Ids{0, 4});
  CHECK(use.free_queue() == Ids{3, 5});
  use.manager().cache()->check_invariants();
}

TEST_CASE("V17: the watermark stays free for those that run, and holds nobody up that is alone") {
  HashChainOptions options = vllm_profile(main_profile, 4, 8);
  options.watermark_blocks = 2;
  VllmUse use(options);
  REQUIRE(use.admit(r0, tokens(12)));
  CHECK_FALSE(use.admit(r1, tokens(16, 300)));  // four of five, and two to leave
  CHECK(use.admit(r1, tokens(12, 300)));
  CHECK(use.decode(r0, tokens(8, 400)));  // takes what admissions must leave
  CHECK(use.free_queue().empty());
  use.finish(r0);
  use.finish(r1);
  CHECK(use.admit(r2, tokens(32, 500)));
}

TEST_CASE(
    "without a prefix index nothing is found, and freed blocks come first, tail first (V10)") {
  HashChainOptions options = vllm_profile(main_profile, 4, 6);
  options.prefix_caching = false;
  VllmUse use(options);
  REQUIRE(use.admit(r0, tokens(12)));
  use.finish(r0);
  CHECK(use.hashed().empty());
  CHECK(use.free_queue() == Ids{3, 2, 1, 4, 5, 6});
  REQUIRE(use.admit(r1, tokens(12)));
  CHECK(use.hit() == 0);
}

TEST_CASE("a request that was evicted from hashes nothing more until it starts anew") {
  HashChainOptions options = vllm_profile(main_profile, 4, 20);
  VllmUse use(options);
  REQUIRE(use.admit(r0, tokens(12)));
  KeepSets keep;
  keep.reset(1);
  bits::set_range(keep.begin(0, 12), 0, 8);  // the last four go
  KvCache& cache = *use.manager().cache();
  cache.evict(SequenceId(r0), keep);
  ReclaimPlan plan;
  plan.tables.resize(1);
  plan.tables[0].pack_from = 0;
  CHECK(cache.reclaim(SequenceId(r0), plan).blocks_freed == 1);
  // I6: packed blocks cannot be found by their old contents, though two of them did not change.
  CHECK(use.hashed().empty());
  REQUIRE(use.decode(r0, tokens(12, 200)));
  CHECK(use.hashed().empty());
  REQUIRE(use.admit(r1, joined(tokens(12), tokens(12, 200))));
  CHECK(use.hit() == 0);

  use.preempt(r0);
  REQUIRE(use.admit(r0, joined(tokens(12), tokens(12, 200))));
  CHECK(use.hit() == 20);
  cache.check_invariants();
}
