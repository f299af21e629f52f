// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>

#include "gpu_backend/simt/host/collective.hpp"
#include "gpu_backend/simt/host/location.hpp"
#include "gpu_backend/simt/host/vocabulary.hpp"

/// Runs CUDA kernels on the CPU, to check them, not to be fast.
///
/// Every CUDA thread of a block is a fiber (Boost.Context); barriers and the warp operations with
/// _sync in their names are the points where one fiber gives way to the next. The blocks of a grid
/// run one after another.
///
///  - ASan and UBSan see every access to global and shared memory.
///  - TSan is a detector of races: each CUDA thread is a TSan fiber, and what orders memory is
///    __syncthreads, __syncwarp, __threadfence and the ends of kernels, not the order of execution.
///  - Threads and blocks run forward, backward or shuffled (ScheduleOptions).
///  - Shared and device memory start as 0xFF bytes, a NaN as float, so that a read before the first
///    write shows.
///  - Barriers reached at different lines, masks that lack the caller, and deadlocks are reported
///    with thread and line.
namespace vacancy::simt::host {

/// A kernel or its launch is wrong. Names block, thread and line.
struct KernelError : std::runtime_error {
  using runtime_error::runtime_error;
};

enum class Order { forward, reverse, random };

struct ScheduleOptions {
  Order order = Order::forward;
  std::uint64_t seed = 1;  // of the random order, which also preempts at atomics
};
/// Of launches from now on. From the environment at first: VACANCY_SIMT_ORDER = forward, reverse or
/// random, VACANCY_SIMT_SEED.
ScheduleOptions& schedule_options();

/// Since the start of the OS thread.
struct ExecutionCounts {
  std::uint64_t blocks = 0, threads = 0, switches = 0, barriers = 0, collectives = 0;
};
const ExecutionCounts& execution_counts();

/// What a kernel gets from an H100's or H200's multiprocessor.
inline constexpr std::size_t max_shared_bytes = 227 * 1024;
inline constexpr unsigned max_block_threads = 1024;

/// Runs `call(body)` in every thread of the grid. Throws KernelError, or what a thread threw.
void run(dim3 grid, dim3 block, std::size_t dynamic_bytes, void (*call)(const void*),
         const void* body);

// What the running CUDA thread calls.

struct Votes {
  int count, threads;
};
Votes barrier(int predicate, Location location);
/// What one lane brings to an operation of its warp.
struct Arrival {
  std::uint32_t mask = 0;
  const char* operation = "";
  Location location;
  std::uint64_t value = 0;
  bool predicate = false;
  bool orders_memory = false;
};
/// Joins the operation of the lanes of the mask and returns when all have come; depart() ends it.
Collective& arrive(const Arrival& arrival);
void depart(Collective& collective);
/// arrive() and depart() in one call, since kernels wait for shuffles more than for anything else:
/// what lane `source` of the same operation brought.
std::uint64_t exchange(const Arrival& arrival, unsigned source);
/// The block's object of this key, the first thread that asks makes it.
void* shared_memory(const void* key, std::size_t bytes, std::size_t alignment);
void* dynamic_memory();
/// Another thread may run here, in the random order.
void preempt();
void fence();
unsigned lane();
/// Whether a kernel runs in this OS thread.
bool running();

}  // namespace vacancy::simt::host
