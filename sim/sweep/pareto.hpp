// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "sim/sweep/results.hpp"

namespace vacancy {

/// Marks the points that completed, have all figures of the goals, and of which no other such point
/// is at least as good in every goal and better in one.
void mark_front(const ParetoGoals& goals, std::vector<PointResult>& points);

}  // namespace vacancy
