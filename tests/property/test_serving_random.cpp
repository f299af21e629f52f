// SPDX-License-Identifier: Apache-2.0
// Whole serving runs with random engines, pools and streams of requests: books, contents and counts
// after every step.
#include <catch2/catch.hpp>
#include <map>
#include <set>
#include <sstream>

#include "sim/metrics/event_log.hpp"
#include "tests/support/plain_blocks.hpp"
#include "tests/support/request_stream.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

void choose_engine(Random& random, ServingRun& run) {
  HashChainOptions& cache = run.cache();
  cache.prefix_caching = !random.one_in(8);
  if (random.one_in(2)) cache.full_sequence_gate = random.one_in(2);
  if (random.one_in(3)) cache.watermark_blocks = random.below(5);
  if (random.one_in(2))
    cache.free_order = random.of({FreeOrder::append, FreeOrder::uncached_first});
  run.config.engine.steps_in_flight = 1 + random.below(2);

  SchedulerOptions& scheduler = run.config.scheduler;
  scheduler.max_num_batched_tokens = random.of({3u, 16u, 64u, 8192u});
  scheduler.max_num_seqs = random.of({1u, 4u, 256u});
  scheduler.chunked_prefill = !random.one_in(4);
  scheduler.policy = random.of({SchedulingPolicy::fcfs, SchedulingPolicy::priority});
  // Rules by which schedulers differ, and ablations of them.
  if (random.one_in(4)) {
    scheduler.requeue = random.of({Requeue::front, Requeue::back});
    scheduler.victim =
        random.of({Victim::newest, Victim::oldest, Victim::lowest_priority, Victim::least_output});
    scheduler.prompts_apart = random.one_in(2);
    scheduler.pass_keeps_place = random.one_in(2);
    scheduler.admit_after_preemption = random.one_in(2);
    scheduler.keep_in_flight_token = random.one_in(2);
    scheduler.run_past_end = random.one_in(2);
    cache.lookup_after_preemption = random.one_in(2);
    cache.reserve_output = random.one_in(4);
  }
  if (random.one_in(3)) run.config.cold_start = SimTime(random.below(5) * 700'000);
  if (random.one_in(2)) {
    run.config.arrivals = ArrivalRule::closed_loop;
    if (random.one_in(2)) run.config.concurrency = 1 + random.below(6);
  }
}

void choose_eviction(Random& random, ServingRun& run) {
  const std::string reclaim = random.of<const char*>(
      {"none", "slide", "fill_holes", "fullest_blocks", "whole_block", "copy_out"});
  ReclaimRules rules;
  ParameterValues values;
  if (reclaim == "copy_out")
    values["when_full"] = std::string(random.of<const char*>({"postpone", "preempt"}));
  else
    rules.shared = random.of({SharedBlocks::suffix, SharedBlocks::refuse, SharedBlocks::unshare});
  if (reclaim != "none" && reclaim != "whole_block" && random.one_in(4)) {
    rules.min_hole_share = random.of({0.0, 0.3});
    rules.min_blocks = random.below(3);
  }
  EvictorOptions& options =
      run.evict(2 + random.below(30), 1 + random.below(20), reclaim, "random", rules, values);
  options.trigger =
      random.of({TriggerKind::slack, TriggerKind::interval, TriggerKind::usage,
                 TriggerKind::allocation_failure, TriggerKind::aligned, TriggerKind::once});
  options.once = OnceAt::prompt_end;
  options.usage_arm = 0.7;
  options.usage_release = 0.5;
  options.prompt =
      random.of({PromptRule::evictable, PromptRule::pinned_inside, PromptRule::pinned_outside});
  if (options.budget > 6) options.protect = {random.below(3), random.below(3)};
}

void choose_swap(Random& random, ServingRun& run) {
  run.config.engine.steps_in_flight = 1;
  run.config.scheduler.preemption = Preemption::swap;
  run.config.scheduler.swap_blocks = random.of({2u, 10u, 1000u});
}

void choose_host_memory(Random& random, ServingRun& run) {
  run.cache().host_blocks = random.of({1u, 10u, 50u, 1000u});
  run.cache().host_replacement = random.of({HostReplacement::lru, HostReplacement::arc});
}

std::unique_ptr<ServingRun> random_run(std::uint32_t seed) {
  Random random(seed);
  std::vector<std::string> profiles;
  for (const EngineProfile& profile : engine_profiles())
    if (profile.hash_chain) profiles.push_back(profile.name);
  const std::uint32_t block_size = random.of({1u, 2u, 4u, 16u});
  const std::uint32_t blocks = (16 + random.below(random.of({60u, 200u}))) / block_size + 2;
  auto run = std::make_unique<ServingRun>(
      block_size, blocks, profiles[random.below(static_cast<std::uint32_t>(profiles.size()))]);
  choose_engine(random, *run);
  if (random.one_in(2))
    choose_eviction(random, *run);
  else if (random.one_in(3))
    choose_swap(random, *run);
  else if (random.one_in(2))
    choose_host_memory(random, *run);

  run->key_tokens = block_size * random.of({1u, 2u, 8u});
  SharedKeys keys(1 + random.below(3));
  std::int64_t arrival = 0;
  for (std::uint32_t i = 0, count = 1 + random.below(30); i < count; ++i) {
    TraceRequest request = plain_request(random.below(random.of({4u, 30u, 120u})),
                                         random.below(random.of({2u, 12u, 50u})));
    arrival += random.of({0, 0, 0, 300'000, 5'000'000, 60'000'000});
    request.arrival = SimTime(arrival);
    request.block_keys =
        keys.next(random, (request.prompt_tokens + run->key_tokens - 1) / run->key_tokens);
    run->add(std::move(request));
  }
  return run;
}

/// What comes back from the host was copied there, and nothing comes back that is not in its
/// prompt.
struct HostCensus final : Observer {
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<BlocksCached>(&event)) {
      contents.assign(e->contents.begin(), e->contents.end());
      REQUIRE(loaded <= contents.size());
      for (std::uint32_t i = 0; i < std::exchange(loaded, 0u); ++i)
        CHECK(std::find(stored.begin(), stored.end(), contents[i]) != stored.end());
    }
    if (const auto* e = std::get_if<HostBlocksLoaded>(&event)) loaded = e->blocks;
    if (const auto* e = std::get_if<HostBlocksStored>(&event)) {
      CHECK(e->blocks <= contents.size());
      held += e->blocks - e->evicted;
      stored.insert(stored.end(), contents.begin(), contents.end());
    }
  }
  std::vector<ContentId> contents, stored;  // cached last; ever copied
  std::uint32_t loaded = 0;                 // said to be, of what is cached next
  std::uint64_t held = 0;
};

/// Follows a run's requests through queue, engine and end.
struct Census final : Observer {
  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<RequestQueued>(&event)) wanted[e->sequence] = e->output_tokens;
    if (const auto* e = std::get_if<StepCompleted>(&event))
      for (const SequenceId id : e->produced)
        ++produced[id];
    if (const auto* e = std::get_if<SequenceCompleted>(&event)) completed.insert(e->sequence);
    if (const auto* e = std::get_if<RequestRejected>(&event)) rejected.insert(e->sequence);
    if (const auto* e = std::get_if<StepComposed>(&event)) {
      std::uint32_t tokens = 0;
      for (const ScheduledTokens& part : e->scheduled) {
        tokens += part.tokens;
        CHECK(part.tokens > 0);
        CHECK(part.recomputed <= part.tokens);
      }
      most_tokens = std::max(most_tokens, tokens);
      most_running = std::max(most_running, e->running);
    }
  }
  std::map<SequenceId, std::uint32_t> wanted, produced;
  std::set<SequenceId> completed, rejected;
  std::uint32_t most_tokens = 0, most_running = 0;
};

Summary run_checked(ServingRun& run, std::ostream& lines) {
  CacheConfig cache;
  cache.block_size = run.cache().block_size;
  KvMemory memory(cache);
  PlainBlocks plain(run.cache());
  if (run.cache().replacement && !run.config.rounds) plain.watch_chains();
  Census census;
  HostCensus host;
  EventLog log(lines);
  for (const Request& request : requests_of(run)) {
    memory.know(request);
    plain.know(request);
  }
  for (Observer* observer : std::initializer_list<Observer*>{&memory, &plain, &census, &host, &log})
    run.simulation().add_observer(*observer);

  std::uint64_t steps = 0;
  while (run.step() == RunStatus::running) {
    REQUIRE(++steps < 1'000'000);
    if (plain.fault()) FAIL(*plain.fault());
    if (const auto fault = memory.fault()) FAIL(*fault);
    auto expected = plain.free_queue().begin();
    run.kv().pool().free_queue().for_each([&](BlockId block) { REQUIRE(block == *expected++); });
    REQUIRE(expected == plain.free_queue().end());
  }
  log.flush();

  const ServingSimulation& simulation = run.simulation();
  INFO(simulation.stop_reason());
  CHECK(census.wanted.size() == run.requests.size());
  // Some choices never end with some requests: what the cap on fruitless preemptions is for.
  const SchedulerOptions& rules = run.config.scheduler;
  const bool may_livelock =
      rules.victim || rules.admit_after_preemption || rules.requeue == Requeue::back;
  const bool livelock = simulation.stop_reason().find("makes no progress") != std::string::npos;
  CHECK((!livelock || may_livelock));
  for (const SequenceId id : census.completed)
    CHECK(census.produced[id] == census.wanted[id]);
  if (!livelock) {
    CHECK(census.completed.size() + census.rejected.size() == run.requests.size());
    CHECK(simulation.status() ==
          (census.rejected.empty() ? RunStatus::completed : RunStatus::stopped));
    CHECK(run.kv().pool().held() == 0);
    CHECK(run.kv().sequences().empty());
    CHECK(run.kv().pool().slots() == SlotCounts{});
  }
  CHECK(census.most_running <= run.config.scheduler.max_num_seqs);
  if (run.config.scheduler.chunked_prefill)
    CHECK(census.most_tokens <= run.config.scheduler.max_num_batched_tokens);

  const Summary summary = run.summary();
  const Summary::Serving& serving = summary.serving;
  CHECK(serving.completed == census.completed.size());
  CHECK(serving.rejected == census.rejected.size());
  CHECK(serving.blocks_allocated == plain.counts.allocated);
  CHECK(serving.blocks_evicted == plain.counts.evicted);
  CHECK(serving.preemptions == plain.counts.preemptions);
  CHECK(serving.lookups == plain.counts.lookups);
  CHECK(serving.hit_tokens_first_admission == plain.counts.hit_tokens[0]);
  CHECK(serving.hit_tokens_readmission == plain.counts.hit_tokens[1]);
  CHECK(serving.query_tokens == plain.counts.query_tokens);
  // What is still out belongs to requests that can never come back, or to a run that was stopped.
  CHECK(serving.swapped_in_blocks <= serving.swapped_out_blocks);
  CHECK(host.held <= run.cache().host_blocks);
  CHECK(serving.host_blocks_written - serving.host_blocks_evicted == host.held);
  if (!livelock && census.rejected.empty())
    CHECK(serving.swapped_in_blocks == serving.swapped_out_blocks);
  return summary;
}

}  // namespace

TEST_CASE("random serving runs keep their books, their contents and their promises", "[property]") {
  Summary::Serving all;
  std::uint64_t rounds = 0, skipped = 0;
  for (std::uint32_t seed = 0; seed < scaled(1500); ++seed) {
    INFO("seed " << seed);
    std::ostringstream first, again;
    const Summary summary = run_checked(*random_run(seed), first);
    rounds += summary.reclaim.rounds;
    skipped += summary.reclaim.skipped_rounds;
    all.completed += summary.serving.completed;
    all.rejected += summary.serving.rejected;
    all.preemptions += summary.serving.preemptions;
    all.blocks_evicted += summary.serving.blocks_evicted;
    all.hit_tokens_first_admission += summary.serving.hit_tokens_first_admission;
    all.hit_tokens_readmission += summary.serving.hit_tokens_readmission;
    all.hit_tokens_host += summary.serving.hit_tokens_host;
    all.host_blocks_evicted += summary.serving.host_blocks_evicted;
    if (seed % 10 > 0) continue;
    run_checked(*random_run(seed), again);
    CHECK(first.str() == again.str());
  }
  // It all happened, often.
  CHECK(all.completed > often(3000));
  CHECK(all.rejected > often(100));
  CHECK(all.preemptions > often(1000));
  CHECK(all.blocks_evicted > often(1000));
  CHECK(all.hit_tokens_first_admission > often(5000));
  CHECK(all.hit_tokens_readmission > often(5000));
  CHECK(all.hit_tokens_host > often(2000));
  CHECK(all.host_blocks_evicted > often(500));
  CHECK(rounds > often(1000));
  CHECK(skipped > often(50));
}

namespace {

std::unique_ptr<ServingRun> random_run_under(std::uint32_t seed, const ReplacementEntry& policy) {
  auto run = random_run(seed);
  run->cache().replacement = &policy;
  run->cache().replacement_parameters = values_of(policy.info);
  // Runs last seconds: a block unused for as long as a few steps is dropped.
  if (policy.info.name == "ttl") run->cache().replacement_parameters["seconds"] = 0.02;
  return run;
}

}  // namespace

// No referenced block is evicted, none before a free one behind it, and the books are right.
TEST_CASE("random serving runs keep their promises under every replacement policy", "[property]") {
  for (const ReplacementEntry& policy : replacement_policies()) {
    INFO(policy.info.name);
    std::uint64_t evicted = 0, hits = 0, runs_with_expiry = 0;
    for (std::uint32_t seed = 0; seed < scaled(150); ++seed) {
      INFO("seed " << seed);
      std::ostringstream first, again;
      const Summary summary = run_checked(*random_run_under(seed, policy), first);
      evicted += summary.serving.blocks_evicted;
      hits += summary.serving.hit_tokens_first_admission;
      runs_with_expiry += first.str().find("expiry") != std::string::npos;
      if (seed % 10 > 0) continue;
      run_checked(*random_run_under(seed, policy), again);
      CHECK(first.str() == again.str());
    }
    CHECK(evicted > often(100));
    CHECK(hits > often(500));
    CHECK((runs_with_expiry > often(10)) == (policy.info.name == "ttl"));
  }
}

// A block's last use is when its last user lets go of it, and a table's tail goes first: the order
// of vLLM's queue, as long as that has blocks without contents in front (uncached_first). Under
// append they queue with the others, which no policy over cached contents can say.
TEST_CASE("the policy lru is vLLM's own order, event for event", "[property]") {
  std::uint64_t evicted = 0;
  for (std::uint32_t seed = 0; seed < scaled(300); ++seed) {
    INFO("seed " << seed);
    const auto own = random_run(seed);
    own->cache().free_order = FreeOrder::uncached_first;
    std::ostringstream lines, under_policy;
    evicted += run_checked(*own, lines).serving.blocks_evicted;
    run_checked(*random_run_under(seed, *find_replacement("lru")), under_policy);
    REQUIRE(lines.str() == under_policy.str());
  }
  CHECK(evicted > often(300));
}
