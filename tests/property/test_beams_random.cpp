// SPDX-License-Identifier: Apache-2.0
// Whole serving runs of requests in beam search, in small pools: contents, sharing, books and the
// promises of the scheduler after every step.
#include <catch2/catch.hpp>
#include <map>
#include <sstream>

#include "sim/metrics/event_log.hpp"
#include "sim/pool/sequence_ids.hpp"
#include "tests/support/plain_beams.hpp"
#include "tests/support/plain_lineage.hpp"
#include "tests/support/request_stream.hpp"
#include "tests/support/scaled.hpp"
#include "tests/support/serving_run.hpp"

using namespace vacancy;
using namespace vacancy::test;

namespace {

std::unique_ptr<ServingRun> random_beams(std::uint32_t seed) {
  Random random(seed);
  const std::uint32_t block_size = random.of({1u, 2u, 4u, 16u});
  const std::uint32_t blocks = (40 + random.below(random.of({60u, 300u}))) / block_size + 4;
  auto run = std::make_unique<ServingRun>(
      block_size, blocks, random.of<const char*>({"vllm-main-2026-08", "vllm-0.10.0"}));
  run->config.engine.steps_in_flight = 1;
  HashChainOptions& cache = run->cache();
  cache.prefix_caching = !random.one_in(3);
  if (random.one_in(2)) cache.full_sequence_gate = random.one_in(2);
  if (random.one_in(3)) cache.watermark_blocks = random.below(3);
  if (random.one_in(4)) cache.lookup_after_preemption = false;
  if (cache.prefix_caching && random.one_in(4)) {
    cache.replacement = find_replacement("s3_fifo");
    cache.replacement_parameters = values_of(cache.replacement->info);
    if (random.one_in(2)) cache.tenant_quota_blocks = 1 + random.below(5);
  }

  const std::uint32_t width = 2 + random.below(4);
  run->config.beams.emplace(
      BeamOptions{width, random.of({0.0, 0.2, 1.0}), random.of({0.0, 0.0, 0.5, 1.0})}, seed);
  SchedulerOptions& scheduler = run->config.scheduler;
  scheduler.max_num_batched_tokens = width + random.of({0u, 1u, 7u, 60u, 8192u});
  scheduler.max_num_seqs = width * random.of({1u, 2u, 100u}) + random.below(width);
  scheduler.chunked_prefill = !random.one_in(4);
  scheduler.policy = random.of({SchedulingPolicy::fcfs, SchedulingPolicy::priority});
  if (random.one_in(4)) scheduler.victim = random.of({Victim::newest, Victim::oldest});
  if (random.one_in(3)) {
    scheduler.preemption = Preemption::swap;
    scheduler.swap_blocks = random.of({4u, 20u, 1000u});
  }

  run->key_tokens = block_size * random.of({1u, 2u, 8u});
  SharedKeys keys(1 + random.below(3));
  for (std::uint32_t i = 0, count = 1 + random.below(12); i < count; ++i) {
    TraceRequest request = plain_request(1 + random.below(random.of({4u, 30u, 60u})),
                                         1 + random.below(random.of({2u, 12u, 30u})),
                                         SimTime(random.below(20) * 1'000'000 * i));
    request.block_keys =
        keys.next(random, (request.prompt_tokens + run->key_tokens - 1) / run->key_tokens);
    run->add(std::move(request));
  }
  std::sort(run->requests.begin(), run->requests.end(),
            [](const TraceRequest& a, const TraceRequest& b) { return a.arrival < b.arrival; });
  return run;
}

/// Follows the requests of a run: who ended how, and what their candidates have in common.
class BeamCensus final : public Observer {
 public:
  explicit BeamCensus(const ServingRun& run) : run_(run), beams_(*run.config.beams) {}

  void on_event(const Event& event) override {
    if (const auto* e = std::get_if<RequestQueued>(&event))
      requests_[e->sequence] = {e->prompt_tokens, e->output_tokens, 0, {}};
    if (const auto* e = std::get_if<StepCompleted>(&event))
      for (const SequenceId id : e->produced)
        produced(id, requests_.at(id));
    if (const auto* e = std::get_if<SequenceCompleted>(&event)) {
      CHECK(requests_.at(e->sequence).outputs == requests_.at(e->sequence).wanted);
      ++completed;
    }
    if (std::holds_alternative<RequestRejected>(event)) ++rejected;
    if (std::holds_alternative<SequencePreempted>(event)) ++preempted;
    if (const auto* e = std::get_if<StepComposed>(&event)) composed(*e);
    if (const auto* e = std::get_if<BlocksCached>(&event)) {
      CHECK(request_of(e->sequence) == e->sequence);
      CHECK((e->first_entry + e->blocks.size()) * run_.config.engine.hash_chain->block_size <=
            requests_.at(e->sequence).prompt);
    }
  }

  /// Between steps, candidates that are all there share what they have in common, and no more.
  void check_sharing(const KvCache& cache) {
    for (const auto& [id, request] : requests_) {
      if (!request.lineage || request.outputs == request.wanted) continue;
      const auto table = [&cache, id = id](std::uint32_t candidate) -> const BlockTable* {
        const auto place = cache.sequences().find(candidate_id(id, candidate));
        return place == cache.sequences().end() ? nullptr : &place->second.tables.front();
      };
      for (std::uint32_t a = 1; a < beams_.width(); ++a)
        for (std::uint32_t b = 0; b < a; ++b) {
          const BlockTable *one = table(a), *other = table(b);
          // Not all of it is computed again yet.
          if (!one || !other || one->length() < request.lineage->length()) continue;
          ++compared;
          REQUIRE(shared_entries(one->entries(), other->entries()) ==
                  request.lineage->shared_blocks(a, b, cache.config().block_size));
        }
    }
  }

  std::uint64_t completed = 0, rejected = 0, preempted = 0, compared = 0, recomputed = 0;

 private:
  struct Known {
    std::uint32_t prompt = 0, wanted = 0, outputs = 0;
    std::optional<PlainLineage> lineage;  // of computed tokens
  };

  void produced(SequenceId id, Known& request) {
    ++request.outputs;
    if (!request.lineage) {
      request.lineage.emplace(request.prompt, beams_.width());
      return;
    }
    request.lineage->grow();
    std::vector<std::uint32_t> parents;
    for (std::uint32_t i = 0; i < beams_.width(); ++i)
      parents.push_back(beams_.parent(id.value(), request.outputs, i));
    request.lineage->select(parents);
  }
  void composed(const StepComposed& step) {
    const SchedulerOptions& rules = run_.config.scheduler;
    CHECK(step.running * beams_.width() <= rules.max_num_seqs);
    std::uint32_t tokens = 0;
    std::map<SequenceId, std::uint32_t> parts;
    for (const ScheduledTokens& part : step.scheduled) {
      CHECK(part.tokens > 0);
      CHECK(part.recomputed <= part.tokens);
      CHECK((part.candidate == 0) == (parts[part.sequence]++ == 0));
      tokens += part.tokens;
      recomputed += part.recomputed;
    }
    for (const auto& [id, count] : parts)
      CHECK((count == 1 || count <= beams_.width()));
    if (rules.chunked_prefill) CHECK(tokens <= rules.max_num_batched_tokens);
  }

  const ServingRun& run_;
  BeamParents beams_;
  std::map<SequenceId, Known> requests_;
};

struct Totals {
  std::uint64_t completed = 0, rejected = 0, preempted = 0, compared = 0, copies = 0, swapped = 0;
  std::uint64_t hits_first = 0, hits_again = 0, recomputed = 0;
};

void run_beams(ServingRun& run, std::ostream& lines, Totals& all) {
  PlainBeams plain(run.cache().block_size);
  BeamCensus census(run);
  EventLog log(lines);
  for (Observer* observer : std::initializer_list<Observer*>{&plain, &census, &log})
    run.simulation().add_observer(*observer);
  std::uint64_t steps = 0;
  while (run.step() == RunStatus::running) {
    REQUIRE(++steps < 1'000'000);
    if (plain.fault()) FAIL(*plain.fault());
    census.check_sharing(run.kv());
    const PlainBeams::Held held = plain.held();
    const BlockPool& pool = run.kv().pool();
    REQUIRE(held.blocks == pool.held());
    REQUIRE(held.shared == pool.shared());
    REQUIRE(held.saved == pool.saved());
  }
  log.flush();
  INFO(run.simulation().stop_reason());
  const bool livelock =
      run.simulation().stop_reason().find("makes no progress") != std::string::npos;
  CHECK((!livelock || run.config.scheduler.victim));
  if (!livelock) {
    CHECK(census.completed + census.rejected == run.requests.size());
    CHECK(run.kv().pool().held() == 0);
    CHECK(run.kv().sequences().empty());
    CHECK(run.kv().pool().slots() == SlotCounts{});
  }
  const Summary summary = run.summary();
  CHECK(summary.sharing.sequences_forked == plain.forks);
  CHECK(summary.sharing.blocks_copied == plain.copies);
  CHECK(summary.serving.preemptions == census.preempted);
  CHECK(summary.serving.recomputed_tokens == census.recomputed);
  if (!livelock && census.rejected == 0)
    CHECK(summary.serving.swapped_in_blocks == summary.serving.swapped_out_blocks);
  all.completed += census.completed;
  all.rejected += census.rejected;
  all.preempted += census.preempted;
  all.compared += census.compared;
  all.recomputed += census.recomputed;
  all.copies += plain.copies;
  all.swapped += summary.serving.swapped_out_blocks;
  all.hits_first += summary.serving.hit_tokens_first_admission;
  all.hits_again += summary.serving.hit_tokens_readmission;
}

}  // namespace

TEST_CASE("random beams keep their contents, share what is alike, and leave nothing",
          "[property]") {
  Totals all, none;
  for (std::uint32_t seed = 0; seed < scaled(800); ++seed) {
    INFO("seed " << seed);
    std::ostringstream first, again;
    run_beams(*random_beams(seed), first, all);
    if (seed % 10 > 0) continue;
    run_beams(*random_beams(seed), again, none);
    CHECK(first.str() == again.str());
  }
  // It all happened, often.
  CHECK(all.completed > often(2000));
  CHECK(all.rejected > often(50));
  CHECK(all.preempted > often(500));
  CHECK(all.compared > often(50'000));
  CHECK(all.copies > often(5000));
  CHECK(all.swapped > often(200));
  CHECK(all.hits_first > often(1000));
  CHECK(all.hits_again > often(1000));
  CHECK(all.recomputed > often(5000));
}
