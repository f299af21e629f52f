// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <memory>
#include <string>

#include "gpu_backend/launch/device.hpp"
#include "tests/support/skip.hpp"

namespace vacancy::test {

/// The device that tests of kernels use: the CPU, or with VACANCY_GPU_DEVICE=cuda the GPU. nullptr,
/// and a line that says so, if there is none.
inline gpu::Device* test_device() {
  static const std::unique_ptr<gpu::Device> device = [] {
    const char* name = std::getenv("VACANCY_GPU_DEVICE");
    const bool cuda = name != nullptr && std::string(name) == "cuda";
    std::string why_not;
    auto opened = open_device(cuda ? gpu::DeviceKind::cuda : gpu::DeviceKind::cpu, &why_not);
    if (opened == nullptr) skip(why_not);
    return opened;
  }();
  return device.get();
}

}  // namespace vacancy::test

/// Begins a test of kernels: names the device.
#define VACANCY_ON_DEVICE(device)                        \
  if (::vacancy::test::test_device() == nullptr) return; \
  ::vacancy::gpu::Device& device = *::vacancy::test::test_device()
