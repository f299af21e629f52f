// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/device/device.hpp"

namespace vacancy {

/// Moving survivors of an eviction, or copying a block: bytes read and written inside the device's
/// memory, and the kernels that do it, one after another.
SimTime copy_time(const Device& device, Bytes read_and_written, std::uint32_t launches);

/// Swapping out or in: bytes over the link to the host in one direction. Throws UserError if the
/// device has no link.
SimTime link_time(const Device& device, Bytes bytes);

/// A link that serves one transfer after another, in the order of asking.
class SharedLink {
 public:
  /// When a transfer that is asked for at `now` and takes `duration` is done.
  SimTime reserve(SimTime now, SimTime duration) {
    free_at_ = std::max(free_at_, now) + duration;
    return free_at_;
  }
  SimTime free_at() const { return free_at_; }

 private:
  SimTime free_at_;
};

}  // namespace vacancy
