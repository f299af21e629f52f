// SPDX-License-Identifier: Apache-2.0
#include "gpu_backend/simt/host/memory.hpp"

#include <algorithm>
#include <cstring>
#include <new>

#include "gpu_backend/simt/host/executor.hpp"
#include "gpu_backend/simt/host/memtrace.hpp"

namespace vacancy::simt::host {
namespace {

constexpr std::align_val_t device_alignment{256};
constexpr int poison = 0xFF;

}  // namespace

void* device_alloc(std::size_t bytes) {
  void* const memory = ::operator new(bytes, device_alignment);
  std::memset(memory, poison, bytes);
  trace_range(memory, bytes, TracedMemory::global);
  return memory;
}

void device_free(void* memory) {
  trace_drop(memory);
  ::operator delete(memory, device_alignment);
}

void* SharedMemory::find_or_make(const void* key, std::size_t bytes, std::size_t alignment) {
  for (const Object& object : objects_)
    if (object.key == key) return object.memory;
  bytes_ += bytes;
  if (bytes_ > max_shared_bytes) return nullptr;
  const std::size_t aligned = std::max<std::size_t>(alignment, 16);
  void* const memory = ::operator new (bytes, std::align_val_t{aligned});
  std::memset(memory, poison, bytes);
  trace_range(memory, bytes, TracedMemory::shared);
  objects_.push_back({key, memory, aligned});
  return memory;
}

void SharedMemory::clear() {
  for (const Object& object : objects_) {
    trace_drop(object.memory);
    ::operator delete (object.memory, std::align_val_t{object.alignment});
  }
  objects_.clear();
  bytes_ = 0;
}

}  // namespace vacancy::simt::host
