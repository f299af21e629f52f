// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policy.hpp"

#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

void EvictionPolicy::allot(std::span<const EvictionRound>, std::span<std::uint32_t>,
                           SelectionScratch&) const {
  VACANCY_ASSERT(false, "a policy without shares of its own is asked for them");
}

void EvictionPolicy::select(const EvictionRound& round, std::span<std::uint64_t> keep,
                            SelectionScratch& scratch) const {
  scratch.scores.resize(round.live.size());
  score(round, scratch.scores, scratch);
  keep_best(scratch.scores, round.guarded, round.keep, keep, scratch);
}

}  // namespace vacancy
