// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sim/keep_sets/keep_set_axes.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/reclaim/registry.hpp"

namespace vacancy {

/// The recorded decisions of one sequence in a cache of one layout, brought back in one way. Cache,
/// reclaimer and metrics are those of every run; only the policy is missing.
class KeepSetReplay final : private Observer {
 public:
  /// `cache.layout` is that of the axes.
  KeepSetReplay(const CacheConfig& cache, const KeepSetAxes& axes, const ReclaimerEntry& reclaimer);
  KeepSetReplay(const KeepSetReplay&) = delete;
  KeepSetReplay& operator=(const KeepSetReplay&) = delete;
  ~KeepSetReplay() override = default;

  /// The sequence grows, and then each set keeps what `decision` says, unless it is null.
  void step(std::uint32_t appended, const KeepSets* decision);

  const CacheConfig& config() const { return cache_.config(); }
  const ReclaimerEntry& reclaimer() const { return entry_; }
  /// Why this way to reclaim does not apply to these keep sets; empty if it does. There are no
  /// figures then.
  const std::string& obstacle() const { return obstacle_; }
  Summary summary() const { return metrics_.summary(); }
  /// Blocks held now.
  std::uint64_t held_blocks() const { return cache_.pool().held(); }
  const KvCache& cache() const { return cache_; }

 private:
  void on_event(const Event& event) override;
  /// A way that moves nothing and takes whole blocks only finds one that is kept in part.
  void check_blocks(const TokensEvicted& eviction);

  KeepSetAxes axes_;
  const ReclaimerEntry& entry_;
  std::unique_ptr<Reclaimer> reclaimer_;
  Metrics metrics_;
  KvCache cache_;
  ReclaimPlan plan_;
  std::string obstacle_;
};

/// Adds the counts of another sequence, recorded with the same axes.
void add_counts(Summary::Reclaim& sum, const Summary::Reclaim& other);

}  // namespace vacancy
