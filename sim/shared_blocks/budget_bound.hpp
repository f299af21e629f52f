// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "sim/shared_blocks/price.hpp"

namespace vacancy {

// A budget (free exactly so much) by prices: for every price the best set is easy, and what prices
// find are the corners of the lower convex hull of (gain, least loss). The hull is the Lagrangian
// bound, which here is the LP bound (spec block_aware §6).

/// What a set brings back and costs.
struct BudgetPoint {
  std::int64_t gain = 0;
  Loss loss = 0;

  bool operator==(const BudgetPoint&) const = default;
};

/// The smallest best set at a price, such as maximum_closure() or best_subtrees().
using BestAtPrice = std::function<BudgetPoint(Price)>;

/// What some price finds, from nothing to as much as all there is: the corners of the hull. `all`:
/// what everything together brings back and costs.
std::vector<BudgetPoint> breakpoints(BudgetPoint all, const BestAtPrice& best);

/// Where a budget lies between breakpoints.
struct BudgetBound {
  BudgetPoint below, above;  // equal where the budget is a breakpoint: then the bound is exact
  Loss least = 0;            // no set that gains as much loses less

  Loss gap(Loss loss) const { return loss - least; }
};

/// 0 <= gain <= all.gain. Asks for one price a breakpoint on the way.
BudgetBound budget_bound(std::int64_t gain, BudgetPoint all, const BestAtPrice& best);

}  // namespace vacancy
