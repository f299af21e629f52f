// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/reclaim/reclaimer.hpp"

namespace vacancy {

/// A decision takes effect: the cache evicts, the reclaimer plans, the cache reclaims. `plan` has a
/// part for each table and is reused from round to round.
KvCache::Reclaimed carry_out(KvCache& cache, SequenceId id, const KeepSets& keep,
                             const Reclaimer& reclaimer, ReclaimPlan& plan);

}  // namespace vacancy
