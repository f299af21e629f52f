// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include "sim/eviction/policy.hpp"

namespace vacancy {

// What H2O and its block-wise form share.

inline PolicyNeeds accumulated_attention_only() {
  PolicyNeeds needs;
  needs.features.weights = true;
  needs.accumulated = true;
  return needs;
}

/// scores[i]: the attention that live[i] received from all queries so far, summed over the heads
/// for which the round's set speaks.
void score_by_accumulated_attention(const EvictionRound& round, std::span<double> scores);

}  // namespace vacancy
