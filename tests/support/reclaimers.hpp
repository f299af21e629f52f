// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>
#include <memory>
#include <vector>

#include "sim/reclaim/registry.hpp"
#include "tests/support/parameter_values.hpp"

namespace vacancy::test {

/// Every reclaimer, under every rule about shared blocks and with thresholds.
inline std::vector<std::unique_ptr<Reclaimer>> all_reclaimers() {
  std::vector<std::unique_ptr<Reclaimer>> all;
  for (const ReclaimerEntry& entry : reclaimers()) {
    const auto add = [&](const ReclaimRules& rules) {
      all.push_back(make_reclaimer(entry, values_of(entry.info), rules));
    };
    add({});
    if (entry.movement == Movement::in_place) {
      add({SharedBlocks::refuse, 0, 0});
      add({SharedBlocks::unshare, 0, 0});
    }
    if (entry.movement == Movement::in_place || entry.movement == Movement::into_fresh_blocks)
      add({SharedBlocks::suffix, 0.4, 1});
  }
  return all;
}

inline void require_equal(const ReclaimPlan& a, const ReclaimPlan& b) {
  REQUIRE(a.refused == b.refused);
  REQUIRE(a.cause == b.cause);
  REQUIRE(a.tables.size() == b.tables.size());
  for (std::size_t i = 0; i < a.tables.size(); ++i) {
    const TablePlan &one = a.tables[i], &other = b.tables[i];
    REQUIRE(one.unshare == other.unshare);
    REQUIRE(one.release == other.release);
    REQUIRE(one.shift == other.shift);
    REQUIRE(one.pack_from == other.pack_from);
    REQUIRE(one.fresh_blocks == other.fresh_blocks);
    REQUIRE(one.moves.sets() == other.moves.sets());
    REQUIRE(std::equal(one.moves.all().begin(), one.moves.all().end(), other.moves.all().begin(),
                       other.moves.all().end()));
  }
}

/// A round as RoundRunner carries it out: nothing is evicted where the plan for what eviction would
/// leave is refused or takes more blocks than are free. That plan is the one made afterwards.
inline std::optional<KvCache::Reclaimed> run_round(KvCache& cache, SequenceId id,
                                                   const KeepSets& keep,
                                                   const Reclaimer& reclaimer) {
  CachedSequence after;
  cache.preview(id, keep, after);
  ReclaimPlan foreseen, plan;
  foreseen.tables.resize(after.tables.size());
  plan.tables.resize(after.tables.size());
  reclaimer.plan(after, cache.pool(), foreseen);
  if (foreseen.refused || foreseen.blocks_taken() > cache.pool().available()) {
    REQUIRE(reclaimer.may_decline());
    return std::nullopt;
  }
  cache.evict(id, keep);
  reclaimer.plan(cache.sequence(id), cache.pool(), plan);
  require_equal(plan, foreseen);
  return cache.reclaim(id, plan);
}

}  // namespace vacancy::test
