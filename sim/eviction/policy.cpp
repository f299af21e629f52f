// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policy.hpp"

#include "sim/eviction/selection.hpp"

namespace vacancy {

void EvictionPolicy::select(const EvictionRound& round, std::span<std::uint64_t> keep,
                            SelectionScratch& scratch) const {
  scratch.scores.resize(round.live.size());
  score(round, scratch.scores, scratch);
  keep_best(scratch.scores, round.guarded, round.keep, keep, scratch);
}

}  // namespace vacancy
