// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace vacancy::gpu {

/// What TriAttentionWeights turns mean queries by, the same for all rounds of a model: for the
/// distances 1, 2, 4, ... up to the largest, e^(i distance * frequency) times the rotary
/// embedding's factor. `mean`: that of them all, a single row.
std::vector<double> triattention_rotations(std::span<const double> frequencies,
                                           std::uint32_t largest_distance, bool mean,
                                           double factor);

}  // namespace vacancy::gpu
