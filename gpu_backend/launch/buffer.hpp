// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include "gpu_backend/launch/device.hpp"

namespace vacancy::gpu {

/// An array in device memory. The device outlives it.
template <class T>
class Buffer {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Buffer() = default;
  /// Filled with 0xFF bytes.
  Buffer(Device& device, std::size_t size)
      : device_(&device),
        data_(static_cast<T*>(device.allocate(std::max<std::size_t>(size, 1) * sizeof(T)))),
        size_(size) {}
  Buffer(Device& device, std::span<const T> values) : Buffer(device, values.size()) {
    upload(values);
  }
  Buffer(Buffer&& other) noexcept { swap(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Buffer() {
    if (data_ != nullptr) device_->release(data_);
  }

  T* data() const { return data_; }
  std::size_t size() const { return size_; }

  void upload(std::span<const T> values, std::size_t first = 0) {
    if (!values.empty()) device_->upload(data_ + first, values.data(), values.size_bytes());
  }
  std::vector<T> download() const {
    std::vector<T> values(size_);
    if (size_ != 0) device_->download(values.data(), data_, size_ * sizeof(T));
    return values;
  }

 private:
  void swap(Buffer& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};

template <class Range>
Buffer(Device&, const Range&) -> Buffer<typename Range::value_type>;

}  // namespace vacancy::gpu
