// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/eviction/registry.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/metrics/request_recorder.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/simulation/serving_simulation.hpp"
#include "tests/support/kv_memory.hpp"
#include "tests/support/made_trace.hpp"
#include "tests/support/parameter_values.hpp"

namespace vacancy::test {

constexpr SimTime ms(std::int64_t count) {
  return SimTime(count * millisecond.value());
}

/// A run of an engine put together by hand: change `config`, add requests, then step or run.
/// Observers outlive it.
class ServingRun {
 public:
  explicit ServingRun(std::uint32_t block_size, std::uint32_t blocks,
                      const std::string& profile = "vllm-main-2026-08") {
    config.engine = *find_engine_profile(profile);
    cache().block_size = block_size;
    cache().blocks = blocks;
    config.block_bytes = Bytes(std::uint64_t{block_size} * 64);
  }

  HashChainOptions& cache() { return *config.engine.hash_chain; }
  /// Eviction inside the requests: Random over all layers and heads.
  EvictorOptions& evict(std::uint32_t budget, std::uint32_t interval, const std::string& reclaim,
                        const std::string& policy = "random", const ReclaimRules& rules = {},
                        const ParameterValues& reclaim_values = {}) {
    RoundConfig& rounds = config.rounds.emplace();
    const PolicyEntry* entry = find_policy(policy);
    const ReclaimerEntry* reclaimer = find_reclaimer(reclaim);
    REQUIRE(entry);
    REQUIRE(reclaimer);
    PolicyContext context;
    context.layers = context.query_heads = context.kv_heads = 1;
    rounds.policy = entry->make(values_of(entry->info), context);
    rounds.reclaimer =
        make_reclaimer(*reclaimer, values_of(reclaimer->info, reclaim_values), rules);
    if (reclaimer->whole_blocks()) rounds.eviction.whole_blocks = BlockAggregate::mean;
    rounds.eviction.budget = budget;
    rounds.eviction.interval = interval;
    rounds.quality_queries = 0;
    return rounds.eviction;
  }
  std::uint32_t add(TraceRequest request) {
    requests.push_back(std::move(request));
    return static_cast<std::uint32_t>(requests.size() - 1);
  }
  std::uint32_t add(std::uint32_t prompt, std::uint32_t output, SimTime arrival = {}) {
    return add(plain_request(prompt, output, arrival));
  }

  /// The simulation, made at the first call from what stands in config and requests.
  ServingSimulation& simulation() {
    if (simulation_) return *simulation_;
    if (config.rounds) {
      CacheConfig& cache_config = config.rounds->cache;
      cache_config.block_size = cache().block_size;
      cache_config.blocks = cache().blocks;
      cache_config.layout = cache().layout;
      cache_config.block_bytes = config.block_bytes;
    }
    simulation_ = std::make_unique<ServingSimulation>(
        config, made_requests(requests, cache().block_size, key_tokens,
                              config.beams ? config.beams->width() : 1));
    CacheConfig gauged;
    gauged.block_size = cache().block_size;
    gauged.block_bytes = config.block_bytes;
    metrics_ = std::make_unique<Metrics>(gauged, kv().pool(), 0);
    simulation_->add_observer(*metrics_);
    simulation_->add_observer(recorder_);
    return *simulation_;
  }
  const KvCache& kv() { return *std::as_const(*simulation_).cache().cache(); }

  RunStatus step() {
    const RunStatus status = simulation().step();
    kv().check_invariants();
    return status;
  }
  Summary run(const std::vector<Observer*>& observers = {}) {
    for (Observer* observer : observers)
      simulation().add_observer(*observer);
    while (step() == RunStatus::running) {
    }
    return metrics_->summary();
  }
  Summary summary() const { return metrics_->summary(); }
  const RequestTimes& times(std::uint32_t request) { return recorder_.requests().at(request); }

  ServingConfig config;
  std::vector<TraceRequest> requests;
  std::uint32_t key_tokens = 0;  // tokens that a key of `requests` stands for

 private:
  std::unique_ptr<Metrics> metrics_;
  RequestRecorder recorder_;
  std::unique_ptr<ServingSimulation> simulation_;
};

/// Watches a run from within.
struct RunObserver : Observer {
  explicit RunObserver(ServingRun& observed) : run(observed) {}
  ServingRun& run;
};

/// The requests of a run as the engine will meet them.
inline std::vector<Request> requests_of(ServingRun& run) {
  auto source = made_requests(run.requests, run.cache().block_size, run.key_tokens);
  std::vector<Request> requests;
  for (Request request; source->next(request);)
    requests.push_back(request);
  return requests;
}

/// Steps to the end; after every step each live token must stand where its request will read it.
inline RunStatus run_with_memory(ServingRun& run, const std::vector<Observer*>& observers = {}) {
  CacheConfig cache;
  cache.block_size = run.cache().block_size;
  KvMemory memory(cache);
  memory.know(requests_of(run));
  run.simulation().add_observer(memory);
  for (Observer* observer : observers)
    run.simulation().add_observer(*observer);
  RunStatus status = RunStatus::running;
  while (status == RunStatus::running) {
    status = run.step();
    const auto fault = memory.fault();
    if (fault) FAIL(*fault);
  }
  return status;
}

}  // namespace vacancy::test
