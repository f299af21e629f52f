// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <vector>

namespace vacancy::simt::host {

/// Poisoned heap memory, aligned as cudaMalloc's. Sanitizers see every overrun.
void* device_alloc(std::size_t bytes);
void device_free(void* memory);

/// The shared memory of a block: objects by key, fresh and poisoned for each block.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;
  ~SharedMemory() { clear(); }

  /// nullptr if the block would have more than max_shared_bytes.
  void* find_or_make(const void* key, std::size_t bytes, std::size_t alignment);
  void clear();

 private:
  struct Object {
    const void* key;
    void* memory;
    std::size_t alignment;
  };
  std::vector<Object> objects_;
  std::size_t bytes_ = 0;
};

}  // namespace vacancy::simt::host
