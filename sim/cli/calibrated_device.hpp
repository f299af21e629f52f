// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_backend/bench/kernel_times.hpp"
#include "sim/device/device.hpp"

namespace vacancy {

/// Tokens of the longest sequence that is timed.
inline constexpr int largest_calibration = 32768;

/// The device with lines through the times as its kernels' costs, and the copy rate of that run.
Device calibrated_device(Device device, const gpu::KernelTimes& times, KernelOrigin origin);

/// The built-in H200 with costs by roofline arithmetic: the built-in h200-kernels.
Device computed_h200();

}  // namespace vacancy
