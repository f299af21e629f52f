// SPDX-License-Identifier: Apache-2.0
#include "sim/device/transfers.hpp"

#include "sim/model/memory.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

SimTime copy_time(const Device& device, Bytes read_and_written, std::uint32_t launches) {
  return transfer_time(read_and_written, device.copy_bandwidth) +
         device.launch_overhead * std::int64_t{launches};
}

SimTime link_time(const Device& device, Bytes bytes) {
  if (!device.link_bandwidth)
    throw UserError("The device " + device.name +
                    " has no link_bandwidth, which a transfer to the host needs. Add it to the "
                    "device's file.");
  return transfer_time(bytes, *device.link_bandwidth);
}

}  // namespace vacancy
