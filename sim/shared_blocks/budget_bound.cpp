// SPDX-License-Identifier: Apache-2.0
#include "sim/shared_blocks/budget_bound.hpp"

#include <optional>

namespace vacancy {

namespace {

/// The corner farthest below the line through two others; nothing if the hull follows the line.
std::optional<BudgetPoint> corner_between(BudgetPoint low, BudgetPoint high,
                                          const BestAtPrice& best) {
  const Price slope{high.loss - low.loss, high.gain - low.gain};
  const BudgetPoint found = best(slope);
  if (value(found.gain, found.loss, slope) <= value(low.gain, low.loss, slope)) return std::nullopt;
  return found;
}

/// The cheapest way to gain all there is, which may leave out what brings nothing back.
BudgetPoint cheapest_all(BudgetPoint all, const BestAtPrice& best) {
  return best({all.loss + 1});
}

}  // namespace

std::vector<BudgetPoint> breakpoints(BudgetPoint all, const BestAtPrice& best) {
  VACANCY_ASSERT(all.gain > 0, "something can be gained");
  std::vector<BudgetPoint> result{{}}, ahead{cheapest_all(all, best)};
  while (!ahead.empty()) {
    if (const auto corner = corner_between(result.back(), ahead.back(), best)) {
      ahead.push_back(*corner);
      continue;
    }
    result.push_back(ahead.back());
    ahead.pop_back();
  }
  return result;
}

BudgetBound budget_bound(std::int64_t gain, BudgetPoint all, const BestAtPrice& best) {
  VACANCY_ASSERT(gain >= 0 && gain <= all.gain, "no more than all can be gained");
  BudgetBound bound{{}, cheapest_all(all, best), 0};
  if (gain == 0) bound.above = bound.below;
  if (gain == all.gain) bound.below = bound.above;
  while (bound.below.gain < bound.above.gain) {
    const auto corner = corner_between(bound.below, bound.above, best);
    if (!corner) break;
    if (corner->gain <= gain) bound.below = *corner;
    if (corner->gain >= gain) bound.above = *corner;
  }
  bound.least = bound.below.loss;
  if (const std::int64_t width = bound.above.gain - bound.below.gain; width > 0) {
    const std::int64_t rise = (gain - bound.below.gain) * (bound.above.loss - bound.below.loss);
    bound.least += (rise + width - 1) / width;  // losses are integers
  }
  return bound;
}

}  // namespace vacancy
