// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu_backend/kernels/element_type.hpp"
#include "gpu_backend/launch/device.hpp"

namespace vacancy::test {

/// Which accesses of an operation should carry no byte in vain.
enum class Watched { nothing, pool, bulk };

/// One operation on a small case, for programs that watch how kernels touch memory rather than what
/// they compute.
struct Exercise {
  std::string name;
  Watched watched;
  std::function<void(gpu::Device&)> run;
};
/// Every operation that a device has, those on rows in both element types.
std::vector<Exercise> exercises();

}  // namespace vacancy::test
