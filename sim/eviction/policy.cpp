// SPDX-License-Identifier: Apache-2.0
#include "sim/eviction/policy.hpp"

#include "sim/eviction/selection.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

void EvictionPolicy::allot(std::span<EvictionRound>, std::span<std::uint32_t>,
                           SelectionScratch&) const {
  VACANCY_ASSERT(false, "a policy without shares of its own is asked for them");
}

void EvictionPolicy::select(const EvictionRound& round, std::span<std::uint64_t> keep,
                            SelectionScratch& scratch) const {
  keep_best(scores_of(*this, round, scratch), round.guarded, round.keep, keep, scratch);
}

}  // namespace vacancy
