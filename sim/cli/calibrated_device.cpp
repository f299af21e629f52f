// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/calibrated_device.hpp"

#include <cmath>
#include <string>
#include <utility>

#include "sim/device/device_file.hpp"

namespace vacancy {

namespace {

/// To six digits: more say nothing of a time, and differ from compiler to compiler.
double rounded(double value) {
  constexpr int digits = 6;
  if (value <= 0) return 0;
  const int places = digits - 1 - static_cast<int>(std::floor(std::log10(value)));
  const double power = std::pow(10.0, std::abs(places));
  return places >= 0 ? std::round(value * power) / power : std::round(value / power) * power;
}
/// To a millionth.
double rounded_share(double share) {
  return std::round(share * 1e6) / 1e6;
}

KernelCost cost_of(const std::vector<gpu::KernelTime>& times) {
  std::vector<KernelSample> samples;
  for (const gpu::KernelTime& time : times)
    samples.push_back({time.units, time.seconds * 1e9});
  KernelCost cost = fit_kernel_cost(samples);
  cost.launch_ns = rounded(cost.launch_ns);
  cost.unit_ns = rounded(cost.unit_ns);
  cost.rms_share = rounded_share(cost.rms_share);
  cost.worst_share = rounded_share(cost.worst_share);
  return cost;
}

}  // namespace

Device calibrated_device(Device device, const gpu::KernelTimes& times, KernelOrigin origin) {
  const bool measured = origin == KernelOrigin::measured;
  device.kernels.emplace();
  device.kernels->origin = origin;
  device.kernels->costs = {{EvictionKernel::move, cost_of(times.move)},
                           {EvictionKernel::score, cost_of(times.score)},
                           {EvictionKernel::select, cost_of(times.select)}};
  device.copy_bandwidth = Bytes(static_cast<std::uint64_t>(std::llround(times.copy_rate)));
  device.name += measured ? ", kernels measured" : ", kernels computed";
  const std::string shape = "K and V of Qwen3-8B in BF16, one sequence of 1,024 to 32,768 tokens";
  device.sources["kernels"] = measured ? "vacancy calibrate: medians on " + shape
                                       : "vacancy calibrate --computed: roofline arithmetic, no "
                                         "measurement, of " +
                                             shape;
  if (measured) device.sources["copy_bandwidth"] = "a large copy, timed in the same run";
  return device;
}

Device computed_h200() {
  return calibrated_device(device_preset("h200"),
                           gpu::computed_times(gpu::h200, gpu::qwen3_8b, largest_calibration),
                           KernelOrigin::computed);
}

}  // namespace vacancy
