// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/device/device.hpp"

namespace vacancy {

/// Moving survivors of an eviction, or copying a block: bytes read and written inside the device's
/// memory, and the kernels that do it, one after another. By the device's kernel costs, or else by
/// its rates.
SimTime copy_time(const Device& device, Bytes read_and_written, std::uint32_t launches);

/// Choosing keep sets in one launch for each stage: bytes of keys that are scored, 0 if none are,
/// and scores that are ranked. Costs nothing where the device has no kernel costs.
SimTime selection_time(const Device& device, Bytes keys_read, std::uint64_t scores_ranked);

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
