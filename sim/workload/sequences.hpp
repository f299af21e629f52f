// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "sim/workload/lengths.hpp"
#include "sim/workload/sequence_plan.hpp"

namespace vacancy {

/// `count` sequences, all present at time 0. A sequence keeps its lengths when the count changes.
std::vector<SequencePlan> draw_sequences(std::uint32_t count, const LengthDistribution& prompt,
                                         const LengthDistribution& output, std::uint64_t seed);

}  // namespace vacancy
