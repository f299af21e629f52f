// SPDX-License-Identifier: Apache-2.0
// Between devices.cpp and kernel_device.cu, which is compiled once for each kind of device.
#pragma once

#include <memory>
#include <string>

#include "gpu_backend/launch/device.hpp"

namespace vacancy::gpu {

namespace on_cpu {
std::unique_ptr<Device> make_device(std::string* why_not);
}
namespace on_cuda {
std::unique_ptr<Device> make_device(std::string* why_not);
}

}  // namespace vacancy::gpu
