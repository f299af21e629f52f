// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/launch/device.hpp"
#include "gpu_backend/launch/kernel_device.hpp"

namespace vacancy::gpu {

std::unique_ptr<Device> open_device(DeviceKind kind, std::string* why_not) {
  if (kind == DeviceKind::cpu) return on_cpu::make_device(why_not);
#if defined(VACANCY_HAS_CUDA)
  return on_cuda::make_device(why_not);
#else
  if (why_not != nullptr) *why_not = "This program was built without CUDA.";
  return nullptr;
#endif
}

}  // namespace vacancy::gpu
