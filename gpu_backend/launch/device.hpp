// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "gpu_backend/kernels/operations.hpp"
#include "gpu_backend/simt/device_error.hpp"

namespace vacancy::gpu {

/// So much memory the device has not.
struct OutOfDeviceMemory : simt::DeviceError {
  using DeviceError::DeviceError;
};

/// Where kernels run: a GPU, or the CPU on which their source is executed thread by thread. Both do
/// the same to memory, and a caller need not know which it has.
///
///   device.run(PackRows{.pool = pool, .tables = tables, .moves = moves});
///
/// Throws simt::DeviceError where the device fails. One host thread at a time.
class Device : public RunsOperations {
 public:
  /// "cpu", or the GPU's name.
  virtual std::string name() const = 0;

  /// Device memory, aligned to 256 bytes and filled with 0xFF, so that a read before the first
  /// write shows as NaN. The environment's VACANCY_GPU_POISON=off leaves that to the checker of a
  /// GPU, which takes filled memory for written. Throws OutOfDeviceMemory.
  virtual void* allocate(std::size_t bytes) = 0;
  virtual void release(void* memory) noexcept = 0;
  /// Behind what the default stream holds. They have ended when they return, as has allocate()'s
  /// filling: any stream may go on from there.
  virtual void upload(void* to, const void* from, std::size_t bytes) = 0;
  virtual void download(void* to, const void* from, std::size_t bytes) = 0;
  /// Inside the device, in order on a stream as an operation is; the two do not overlap.
  virtual void copy(void* to, const void* from, std::size_t bytes, Stream stream = nullptr) = 0;
  /// Until all that was run has ended. Errors inside kernels come to light here at the latest.
  virtual void synchronize() = 0;
  /// Seconds that passed on the default stream, by the device's clock, while it did what `work`
  /// put in order.
  virtual double timed(const std::function<void()>& work) = 0;
};

enum class DeviceKind { cpu, cuda };

/// nullptr if there is none: then `why_not`, if given, gets a sentence. No driver or no GPU is no
/// error, nor is a program that was built without CUDA.
std::unique_ptr<Device> open_device(DeviceKind kind, std::string* why_not = nullptr);

}  // namespace vacancy::gpu
