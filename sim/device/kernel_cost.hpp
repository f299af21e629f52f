// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include "sim/registry/parameter.hpp"

namespace vacancy {

/// What the kernels of an eviction do, and what the work of each is counted in.
enum class EvictionKernel {
  move,   // bytes read and written: survivors, copied blocks
  score,  // bytes of keys read
  select  // scores ranked
};

template <>
struct EnumNames<EvictionKernel> {
  static constexpr EnumName<EvictionKernel> table[] = {{EvictionKernel::move, "move"},
                                                       {EvictionKernel::score, "score"},
                                                       {EvictionKernel::select, "select"}};
};

/// One measurement: so much work took so long.
struct KernelSample {
  double units = 0, ns = 0;
};

/// A line through measurements: launch_ns + unit_ns * units.
struct KernelCost {
  double launch_ns = 0, unit_ns = 0;
  std::uint64_t samples = 0;
  /// Residuals as shares of what was measured: root mean square, and the largest.
  double rms_share = 0, worst_share = 0;

  double ns(double units) const { return launch_ns + unit_ns * units; }
  bool operator==(const KernelCost&) const = default;
};

/// Least squares of relative residuals, since sizes span orders of magnitude; a launch costs
/// nothing at least. The samples have two different sizes or more, and positive times.
KernelCost fit_kernel_cost(std::span<const KernelSample> samples);

enum class KernelOrigin { measured, computed };

template <>
struct EnumNames<KernelOrigin> {
  static constexpr EnumName<KernelOrigin> table[] = {{KernelOrigin::measured, "measured"},
                                                     {KernelOrigin::computed, "computed"}};
};

/// Costs of an eviction's kernels on one device.
struct KernelCosts {
  KernelOrigin origin = KernelOrigin::measured;
  std::map<EvictionKernel, KernelCost> costs;

  bool operator==(const KernelCosts&) const = default;
};

}  // namespace vacancy
