// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "sim/attention/attention.hpp"
#include "sim/attention/trajectory.hpp"
#include "sim/eviction/evictor_options.hpp"
#include "sim/eviction/policy.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/reclaimer.hpp"
#include "sim/workload/sequence_plan.hpp"

namespace vacancy {

/// How sequences are evicted from, reclaimed and measured.
struct RoundConfig {
  CacheConfig cache;
  std::shared_ptr<const AttentionSource> attention;  // null: `none`
  std::shared_ptr<const EvictionPolicy> policy;
  EvictorOptions eviction;
  std::shared_ptr<const Reclaimer> reclaimer;
  std::uint32_t quality_queries = 32;  // queries over which retained attention is measured; 0: off
  Trajectory trajectory = Trajectory::full;  // own: of a source that can, without tokens in flight

  /// As a scenario with another reclaim.kind has it, and the same scopes.
  void change_reclaim(std::shared_ptr<const Reclaimer> other,
                      std::optional<BlockAggregate> whole_blocks) {
    reclaimer = std::move(other);
    eviction.whole_blocks = whole_blocks;
  }
};

/// Everything that a run of sequences in lockstep is a function of. Built by the scenario layer, or
/// by hand in a test.
struct SimulationConfig : RoundConfig {
  std::uint64_t seed = 0;
  std::vector<SequencePlan> sequences;  // all present at time 0; the index is the SequenceId
};

}  // namespace vacancy
