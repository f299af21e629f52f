// SPDX-License-Identifier: Apache-2.0
#include "sim/reclaim/carry_out.hpp"

namespace vacancy {

KvCache::Reclaimed carry_out(KvCache& cache, SequenceId id, const KeepSets& keep,
                             const Reclaimer& reclaimer, ReclaimPlan& plan) {
  cache.evict(id, keep);
  plan.clear();
  reclaimer.plan(cache.sequence(id), cache.pool(), plan);
  return cache.reclaim(id, plan);
}

}  // namespace vacancy
