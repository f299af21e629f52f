// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "sim/eviction/registry.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/reclaim/registry.hpp"
#include "sim/simulation/simulation.hpp"
#include "tests/support/parameter_values.hpp"

namespace vacancy::test {

/// A run put together by hand. Change `config` before run().
struct Run {
  explicit Run(std::uint64_t seed = 0) { config.seed = seed; }

  void policy(const std::string& name, const ParameterValues& changes = {}) {
    const PolicyEntry* entry = find_policy(name);
    REQUIRE(entry);
    PolicyContext context;
    context.seed = config.seed;
    context.layers = config.cache.layout.layers();
    context.kv_heads = config.cache.layout.kv_heads();
    context.query_heads = context.kv_heads;
    if (config.attention) {
      context.query_heads = config.attention->shape().query_heads;
      context.head_dim = config.attention->shape().head_dim;
    }
    config.policy = entry->make(values_of(entry->info, changes), context);
  }
  void reclaim(const std::string& kind) {
    const ReclaimerEntry* entry = find_reclaimer(kind);
    REQUIRE(entry);
    config.reclaimer = make_reclaimer(*entry, values_of(entry->info));
    if (entry->whole_blocks()) config.eviction.whole_blocks = BlockAggregate::mean;
  }
  /// Evicts once, when the sequence is complete.
  void once_at_end() {
    config.eviction.trigger = TriggerKind::once;
    config.eviction.once = OnceAt::sequence_end;
  }

  Summary run(Observer* observer = nullptr) {
    std::vector<Observer*> observers;
    if (observer) observers.push_back(observer);
    simulation = std::make_unique<Simulation>(config, observers);
    Metrics metrics(simulation->config().cache, simulation->cache().pool(), config.seed);
    simulation->add_observer(metrics);
    while (simulation->step() == RunStatus::running) {
    }
    simulation->cache().check_invariants();
    return metrics.summary();
  }

  SimulationConfig config;
  std::unique_ptr<Simulation> simulation;
};

/// Calls back with the blocks held just after each round.
class AfterRound final : public Observer {
 public:
  using Callback = std::function<void(std::uint32_t round)>;
  explicit AfterRound(Callback callback) : callback_(std::move(callback)) {}
  void on_event(const Event& event) override {
    if (const auto* finished = std::get_if<RoundFinished>(&event)) callback_(finished->round);
  }

 private:
  Callback callback_;
};

}  // namespace vacancy::test
