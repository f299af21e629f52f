// SPDX-License-Identifier: Apache-2.0
// What not to write: kernels of rows of 16-byte units, each with one of the faults that
// scripts/ptx_check.py looks for. Compiled for it alone.
#include "gpu_backend/kernels/move_operations.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

/// In place, with a promise that nobody writes what is read.
template <class Unit>
__global__ void restricted_kernel(const Unit* __restrict__ from, Unit* to) {
  to[threadIdx.x] = from[threadIdx.x + 1];
}

/// A quarter of a unit at a time.
template <class Unit>
__global__ void narrow_kernel(unsigned* pool) {
  pool[threadIdx.x] = pool[threadIdx.x + 1];
}

/// Registers that are indexed by a number nobody knows lie in local memory.
template <class Unit>
__global__ void local_kernel(Unit* pool, int which) {
  Unit held[8];
  for (int u = 0; u < 8; ++u)
    held[u] = pool[u * 32];
  pool[threadIdx.x] = held[which];
}

template __global__ void restricted_kernel(const uint4* __restrict__, uint4*);
template __global__ void narrow_kernel<uint4>(unsigned*);
template __global__ void local_kernel(uint4*, int);

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
