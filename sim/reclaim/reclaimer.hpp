// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/pool/block_pool.hpp"
#include "sim/pool/kv_cache.hpp"
#include "sim/pool/reclaim_plan.hpp"
#include "sim/reclaim/rules.hpp"

namespace vacancy {

/// A way to bring the blocks of evicted tokens back (spec policies §5). Pure: looks at a sequence
/// right after an eviction, and returns what should be done; KvCache does it.
class Reclaimer {
 public:
  virtual ~Reclaimer() = default;
  /// `plan` holds one empty part for each table.
  virtual void plan(const CachedSequence& sequence, const BlockPool& pool,
                    ReclaimPlan& plan) const = 0;
  /// Whether the plan of a sequence with shared blocks may be refused, or take blocks: then it is
  /// asked for before anything is evicted (KvCache::preview).
  virtual bool may_decline() const { return false; }
  /// What happens to a round whose plan takes more blocks than are free.
  virtual WhenFull when_full() const { return WhenFull::postpone; }
};

}  // namespace vacancy
