// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "gpu_backend/bench/roofline.hpp"
#include "gpu_backend/launch/device.hpp"

namespace vacancy::gpu {

/// So many units took so long.
struct KernelTime {
  double units = 0, seconds = 0;
};

/// Times of an eviction's kernels over sizes, for one sequence.
struct KernelTimes {
  std::vector<KernelTime> move;    // bytes read and written
  std::vector<KernelTime> score;   // bytes of keys read
  std::vector<KernelTime> select;  // scores ranked
  double copy_rate = 0;            // bytes read and written a second by a large copy
};

/// Tokens of the sequences that are timed: powers of two.
std::vector<int> calibration_sizes(int largest);

/// The least times, by roofline arithmetic.
KernelTimes computed_times(const GpuCeilings& gpu, const CacheShape& shape, int largest);

/// Medians on the device. `on_size` hears of each number of tokens before it is timed.
KernelTimes measured_times(Device& device, const CacheShape& shape, int largest,
                           const std::function<void(int)>& on_size);

}  // namespace vacancy::gpu
