// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace vacancy::simt::host {

enum class TracedMemory { global, shared };

/// Memory transactions of kernels, in a program that is built with VACANCY_SIMT_MEMTRACE. The n-th
/// pass of each lane of a warp through one instruction counts as one request.
struct Transactions {
  std::uint64_t requests = 0, bytes = 0;
  /// Global memory: 32-byte sectors. Shared memory: wavefronts, more than one a phase where banks
  /// conflict.
  std::uint64_t units = 0;
  std::uint64_t ideal = 0;  // the fewest units that could carry the bytes

  /// 1 = no byte is carried in vain; 1 too where nothing was carried.
  double efficiency() const {
    return units == 0 ? 1.0 : static_cast<double>(ideal) / static_cast<double>(units);
  }
};
struct TransactionTotals {
  Transactions pool_loads, pool_stores;    // of the memory that trace_pool() named
  Transactions bulk_loads, bulk_stores;    // other global memory, at least 8 bytes a lane
  Transactions other_loads, other_stores;  // global, narrower: indices, scores
  Transactions shared;
};

#if defined(VACANCY_SIMT_MEMTRACE)
void trace_range(const void* memory, std::size_t bytes, TracedMemory kind);
void trace_drop(const void* memory);
void trace_block_end();
/// What starts here, as device_alloc() gave it, holds the rows to watch.
void trace_pool(const void* memory);
/// Of all kernels since the last call.
TransactionTotals take_transactions();
#else
inline void trace_range(const void*, std::size_t, TracedMemory) {}
inline void trace_drop(const void*) {}
inline void trace_block_end() {}
inline void trace_pool(const void*) {}
#endif

}  // namespace vacancy::simt::host
