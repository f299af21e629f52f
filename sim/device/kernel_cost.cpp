// SPDX-License-Identifier: Apache-2.0
#include "sim/device/kernel_cost.hpp"

#include <algorithm>
#include <cmath>

#include "sim/units/error.hpp"

namespace vacancy {

KernelCost fit_kernel_cost(std::span<const KernelSample> samples) {
  // Rows (1 / t) launch + (u / t) unit = 1, and their normal equations.
  double ll = 0, lu = 0, uu = 0, l = 0, u = 0;
  for (const KernelSample& sample : samples) {
    VACANCY_ASSERT(sample.ns > 0 && sample.units >= 0, "a measurement took time");
    const double launch = 1 / sample.ns, unit = sample.units / sample.ns;
    ll += launch * launch;
    lu += launch * unit;
    uu += unit * unit;
    l += launch;
    u += unit;
  }
  const double determinant = ll * uu - lu * lu;
  VACANCY_ASSERT(samples.size() > 1 && determinant > 1e-12 * ll * uu, "sizes that differ");
  KernelCost cost;
  cost.launch_ns = (l * uu - u * lu) / determinant;
  cost.unit_ns = (u * ll - l * lu) / determinant;
  if (cost.launch_ns < 0) {
    cost.launch_ns = 0;
    cost.unit_ns = u / uu;
  } else if (cost.unit_ns < 0) {
    cost.launch_ns = l / ll;
    cost.unit_ns = 0;
  }
  cost.samples = samples.size();
  for (const KernelSample& sample : samples) {
    const double share = std::abs(cost.ns(sample.units) / sample.ns - 1);
    cost.rms_share += share * share / static_cast<double>(samples.size());
    cost.worst_share = std::max(cost.worst_share, share);
  }
  cost.rms_share = std::sqrt(cost.rms_share);
  return cost;
}

}  // namespace vacancy
