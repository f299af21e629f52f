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

  /// 1 = no byte is carried in vain. NaN where nothing was carried, which passes no comparison.
  double efficiency() const { return static_cast<double>(ideal) / static_cast<double>(units); }
};
struct TransactionTotals {
  Transactions row_loads, row_stores;      // of the memory that trace_rows() named
  Transactions bulk_loads, bulk_stores;    // other global memory, at least 8 bytes a lane
  Transactions other_loads, other_stores;  // global, narrower: indices, scores
  Transactions shared;
};

#if defined(VACANCY_SIMT_MEMTRACE)
void trace_range(const void* memory, std::size_t bytes, TracedMemory kind);
void trace_drop(const void* memory);
void trace_block_end();
/// What starts here, as device_alloc() gave it, holds rows to watch, until it is released.
void trace_rows(const void* memory);
/// Of all kernels since the last call.
TransactionTotals take_transactions();
#else
inline void trace_range(const void*, std::size_t, TracedMemory) {}
inline void trace_drop(const void*) {}
inline void trace_block_end() {}
inline void trace_rows(const void*) {}
#endif

}  // namespace vacancy::simt::host
