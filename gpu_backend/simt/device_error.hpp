// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>

namespace vacancy::simt {

/// The device failed: the system says so of a launch, a kernel, memory. No fault of the caller's.
struct DeviceError : std::runtime_error {
  using runtime_error::runtime_error;
};

}  // namespace vacancy::simt
