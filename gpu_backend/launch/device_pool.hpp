// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu_backend/launch/buffer.hpp"
#include "gpu_backend/launch/pool_shape.hpp"

namespace vacancy::gpu {

/// A pool of K and V blocks in device memory, 0xFF at first. The device outlives it.
class DevicePool {
 public:
  DevicePool(Device& device, const PoolShape& shape) : device_(&device), shape_(shape) {
    for (const PoolPart& part : pool_parts(shape)) {
      memory_.emplace_back(device, static_cast<std::size_t>(part.bytes));
      pools_.push_back({memory_.back().data(), part.layout});
    }
  }

  const PoolShape& shape() const { return shape_; }
  Device& device() const { return *device_; }
  /// The codes, and the scales where the format has them.
  const std::vector<Pool>& parts() const { return pools_; }

  std::vector<std::uint8_t> download(std::size_t part = 0) const {
    return memory_[part].download();
  }
  void upload(std::span<const std::uint8_t> bytes, std::size_t part = 0) {
    memory_[part].upload(bytes);
  }

  /// Runs an operation on every part: MoveRows, PackRows.
  template <class Operation>
  void run(Operation operation, Stream stream = nullptr) const {
    for (const Pool& pool : pools_) {
      operation.pool = pool;
      device_->run(operation, stream);
    }
  }
  /// From this pool to another of the same format, or to itself: GatherRows, CopyBlocks.
  template <class Operation>
  void run_to(const DevicePool& target, Operation operation, Stream stream = nullptr) const {
    for (std::size_t i = 0; i < pools_.size(); ++i) {
      operation.from = pools_[i];
      operation.to = target.pools_[i];
      device_->run(operation, stream);
    }
  }

 private:
  Device* device_;
  PoolShape shape_;
  std::vector<Buffer<std::uint8_t>> memory_;
  std::vector<Pool> pools_;
};

}  // namespace vacancy::gpu
