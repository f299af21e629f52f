// SPDX-License-Identifier: Apache-2.0
#include "sim/device/transfers.hpp"

#include <algorithm>
#include <cmath>

#include "sim/model/memory.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

const KernelCost* cost_of(const Device& device, EvictionKernel kernel) {
  if (!device.kernels) return nullptr;
  const auto cost = device.kernels->costs.find(kernel);
  return cost == device.kernels->costs.end() ? nullptr : &cost->second;
}

SimTime rounded_up(double ns) {
  constexpr double most = 1e18;
  return SimTime(static_cast<std::int64_t>(std::ceil(std::min(ns, most))));
}

}  // namespace

SimTime copy_time(const Device& device, Bytes read_and_written, std::uint32_t launches) {
  if (const KernelCost* const move = cost_of(device, EvictionKernel::move))
    return rounded_up(move->launch_ns * launches +
                      move->unit_ns * static_cast<double>(read_and_written.value()));
  return transfer_time(read_and_written, device.copy_bandwidth) +
         device.launch_overhead * std::int64_t{launches};
}

SimTime selection_time(const Device& device, Bytes keys_read, std::uint64_t scores_ranked) {
  double ns = 0;
  if (const KernelCost* const score = cost_of(device, EvictionKernel::score))
    if (keys_read > Bytes(0)) ns += score->ns(static_cast<double>(keys_read.value()));
  if (const KernelCost* const select = cost_of(device, EvictionKernel::select))
    ns += select->ns(static_cast<double>(scores_ranked));
  return rounded_up(ns);
}

SimTime link_time(const Device& device, Bytes bytes) {
  if (!device.link_bandwidth)
    throw UserError("The device " + device.name +
                    " has no link_bandwidth, which a transfer to the host needs. Add it to the "
                    "device's file.");
  return transfer_time(bytes, *device.link_bandwidth);
}

}  // namespace vacancy
