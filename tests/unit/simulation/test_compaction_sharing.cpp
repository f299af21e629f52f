// SPDX-License-Identifier: Apache-2.0
// Compaction of an engine's requests that share a prefix: full pools, and what is found afterwards.
#include <map>
#include <set>

#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

/// The first `shared_keys` keys of 4 tokens are those of all others.
TraceRequest sharer(std::uint32_t prompt, std::uint32_t output, std::uint32_t shared_keys,
                    SimTime arrival = {}) {
  static std::uint64_t next_own = 1'000'000;
  TraceRequest request = plain_request(prompt, output, arrival);
  for (std::uint32_t i = 0; i * 4 < prompt; ++i)
    request.block_keys.push_back(i < shared_keys ? i : next_own++);
  return request;
}

/// What rounds and preemptions there were.
struct Follower final : RunObserver {
  using RunObserver::RunObserver;
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<SequenceStarted>(&event)) compressed.erase(e->sequence);
    if (const auto* e = std::get_if<TokensEvicted>(&event)) {
      compressed.insert(e->sequence);
      first_round.emplace(e->sequence, run.simulation().now());
    }
    if (const auto* e = std::get_if<SequencePreempted>(&event))
      compressed_preempted += compressed.count(e->sequence);
    if (const auto* e = std::get_if<RoundSkipped>(&event)) ++skipped[e->cause];
    if (const auto* e = std::get_if<RoundFinished>(&event)) {
      taken += e->blocks_taken;
      fewest_freed = std::min(fewest_freed, e->blocks_freed);
    }
  }
  std::set<SequenceId> compressed;
  std::map<SequenceId, SimTime> first_round;
  std::map<SkipCause, std::uint32_t> skipped;
  std::uint64_t taken = 0, compressed_preempted = 0;
  std::int64_t fewest_freed = 0;
};

/// Three requests of which two share 8 blocks; each is due at 48 tokens, and keeps 40 in 10 blocks.
void add_crowd(ServingRun& run) {
  run.key_tokens = 4;
  run.add(sharer(41, 40, 8));
  run.add(sharer(41, 40, 8, ms(1)));
  run.add(sharer(20, 12, 0, ms(2)));
}

}  // namespace

// Spec policies §3.22, §5.4: the fresh blocks are needed before any is let go.
TEST_CASE("E-23: copy-out at a full pool is postponed, or others give way; it never hangs") {
  for (const std::uint32_t blocks : {21u, 24u, 26u, 28u, 60u}) {
    for (const std::string when_full : {"postpone", "preempt"}) {
      INFO(blocks << " blocks, " << when_full);
      ServingRun run(4, blocks);
      run.evict(40, 8, "copy_out", "random", {}, {{"when_full", when_full}});
      add_crowd(run);
      Follower follower(run);
      CHECK(run_with_memory(run, {&follower}) == RunStatus::completed);
      const Summary summary = run.summary();
      CHECK(summary.serving.completed == 3);
      CHECK(run.kv().pool().held() == 0);
      CHECK(summary.reclaim.postponed_rounds == follower.skipped[SkipCause::pool_full]);
      CHECK(summary.reclaim.blocks_taken == follower.taken);
      if (blocks == 60) {  // room for 10 fresh blocks, which cost 10 - 4
        CHECK(summary.reclaim.postponed_rounds + summary.serving.preemptions == 0);
        CHECK(follower.taken == 10);
        CHECK(follower.fewest_freed == -6);
        CHECK(Summary(summary).reclaim.moved(MoveCause::copy_out) == Bytes(2 * 40 * 64));
      } else if (when_full == "postpone") {
        CHECK(summary.reclaim.postponed_rounds > 0);
        CHECK(summary.reclaim.rounds > 0);
      } else {
        CHECK(summary.serving.preemptions > 0);
        // The first round is in time: at 48 tokens, 7 steps after the first of 42.
        REQUIRE(follower.first_round.count(SequenceId(0)) == 1);
        CHECK(follower.first_round[SequenceId(0)] == ms(8));
      }
    }
  }
}

TEST_CASE("E-23: who gives way to a compression was not compressed yet") {
  ServingRun run(4, 30);
  run.evict(40, 8, "copy_out", "random", {}, {{"when_full", std::string("preempt")}});
  run.key_tokens = 4;
  for (int i = 0; i < 4; ++i)
    run.add(sharer(41, 60, 8, ms(3 * i)));
  run.add(sharer(12, 60, 0, ms(12)));
  Follower follower(run);
  CHECK(run_with_memory(run, {&follower}) == RunStatus::completed);
  CHECK(run.summary().serving.completed == 5);
  CHECK(run.summary().serving.preemptions > follower.compressed_preempted);
}

TEST_CASE("a postponed round comes later, whatever the trigger says") {
  ServingRun run(4, 32);
  EvictorOptions& options = run.evict(36, 4, "copy_out");
  options.trigger = TriggerKind::once;
  options.once = OnceAt::prompt_end;
  run.key_tokens = 4;
  run.add(sharer(35, 30, 8));
  run.add(sharer(60, 20, 8, ms(1)));
  run.add(sharer(36, 6, 0, ms(1)));  // when it leaves, there is room
  Follower follower(run);
  CHECK(run_with_memory(run, {&follower}) == RunStatus::completed);
  CHECK(follower.skipped[SkipCause::pool_full] > 0);
  CHECK(follower.first_round.count(SequenceId(1)) == 1);
}

TEST_CASE("refuse: requests that share are left alone until they are alone") {
  ServingRun run(4, 200);
  run.evict(40, 8, "slide", "random", {SharedBlocks::refuse, 0, 0});
  run.key_tokens = 4;
  run.add(sharer(41, 60, 8));
  run.add(sharer(41, 20, 8, ms(1)));
  Follower follower(run);
  CHECK(run_with_memory(run, {&follower}) == RunStatus::completed);
  CHECK(follower.skipped[SkipCause::shared_blocks] > 0);
  CHECK(run.summary().reclaim.refused_rounds == follower.skipped[SkipCause::shared_blocks]);
  CHECK(follower.first_round.count(SequenceId(1)) == 0);  // always beside request 0
  REQUIRE(follower.first_round.count(SequenceId(0)) == 1);
  CHECK(follower.first_round[SequenceId(0)] > ms(20));
}

// kvcached#362: a block was used again under the hash of what it held before.
TEST_CASE("E-43: what eviction frees loses its hash before, and is never found") {
  struct Findable final : RunObserver {
    using RunObserver::RunObserver;
    void on_event(const Event& event) override {
      if (const auto* e = std::get_if<BlocksCached>(&event))
        findable.insert(e->blocks.begin(), e->blocks.end());
      if (const auto* e = std::get_if<BlocksUncached>(&event))
        for (const BlockId block : e->blocks)
          CHECK(findable.erase(block) == 1);
      if (const auto* e = std::get_if<BlocksReleased>(&event)) {
        if (e->cause != FreeCause::eviction) return;
        for (const BlockId block : e->blocks) {
          if (block == null_block || run.kv().pool().references(block) > 0) continue;
          CHECK(findable.count(block) == 0);
          CHECK_FALSE(run.kv().pool().cached(block));
          freed.insert(block);
        }
      }
      if (const auto* e = std::get_if<BlocksAllocated>(&event))
        for (const BlockId block : e->blocks) {
          CHECK(findable.count(block) == 0);
          reused += freed.erase(block);
        }
      if (const auto* e = std::get_if<BlocksAdopted>(&event))
        for (const BlockId block : e->blocks) {
          CHECK(findable.count(block) == 1);
          CHECK(freed.count(block) == 0);
          ++adopted;
        }
    }
    std::set<BlockId> findable, freed;
    std::uint64_t reused = 0, adopted = 0;
  };
  const std::vector<std::pair<std::string, ReclaimRules>> kinds = {
      {"none", {}},           {"slide", {}},
      {"whole_block", {}},    {"fill_holes", {SharedBlocks::unshare, 0, 0}},
      {"fullest_blocks", {}}, {"copy_out", {}}};
  for (const auto& [kind, rules] : kinds) {
    INFO(kind);
    ServingRun run(4, 60);
    run.evict(24, 8, kind, "random", rules);
    run.key_tokens = 4;
    for (int i = 0; i < 12; ++i)  // the same prompts come again when their blocks were freed
      run.add(sharer(25, 30, i % 3 == 0 ? 6 : 4, ms(3 * i)));
    Findable findable(run);
    CHECK(run_with_memory(run, {&findable}) == RunStatus::completed);
    CHECK(findable.adopted > 0);
    CHECK(findable.reused > 0);
  }
}
