// SPDX-License-Identifier: Apache-2.0
// What not to write. A detector that is silent on these says nothing by its silence elsewhere.
#include "tests/gpu/racy_kernels.hpp"

#include <vector>

#include "gpu_backend/simt/host/memory.hpp"
#include "gpu_backend/simt/simt.hpp"

namespace vacancy::test {
namespace {

constexpr int rows = 96, kept = 48;  // row 2 j goes to row j

/// PackRows by tiles without its barrier.
__global__ void tiles_without_barrier_kernel(uint4* pool) {
  for (int first = 0; first < kept; first += int(blockDim.x)) {
    const int j = first + int(threadIdx.x);
    const uint4 held = pool[2 * j];
    pool[j] = held;
  }
}

/// Packing with the moves cut over blocks: nothing orders one block's writes behind another's
/// reads. It passes where blocks run in ascending order.
__global__ void rows_over_blocks_kernel(uint4* pool) {
  const int j = int(blockIdx.x * blockDim.x + threadIdx.x);
  const uint4 held = pool[2 * j];
  __syncthreads();
  pool[j] = held;
}

/// A tree sum whose first barrier is missing.
__global__ void tree_without_barrier_kernel(uint4* pool) {
  unsigned* const partial = simt::dynamic_shared<unsigned>();
  const unsigned t = threadIdx.x;
  partial[t] = pool[t].x;
  for (unsigned half = blockDim.x / 2; half > 0; half /= 2) {
    if (t < half) partial[t] += partial[t + half];
    __syncthreads();
  }
  if (t == 0) pool[0].x = partial[0];
}

/// Two lanes of a warp with neither __syncwarp nor a shuffle between them.
__global__ void warp_without_barrier_kernel(uint4* pool) {
  unsigned* const mine = simt::dynamic_shared<unsigned>();
  mine[threadIdx.x] = threadIdx.x;
  pool[threadIdx.x].x = mine[threadIdx.x ^ 1u];
}

/// Between two barriers a thread writes what its neighbour reads. Found only if a thread at the
/// second barrier is not taken for ordered before those that have yet to leave the first.
__global__ void turn_without_barrier_kernel(uint4* pool) {
  unsigned* const mine = simt::dynamic_shared<unsigned>();
  const unsigned t = threadIdx.x;
  mine[t] = t;
  __syncthreads();
  const unsigned other = mine[t ^ 1u];
  mine[t] = other;
  __syncthreads();
  pool[t].x = mine[t];
}

/// The same inside a warp.
__global__ void turn_without_warp_barrier_kernel(uint4* pool) {
  unsigned* const mine = simt::dynamic_shared<unsigned>();
  const unsigned t = threadIdx.x;
  mine[t] = t;
  __syncwarp();
  const unsigned other = mine[t ^ 1u];
  mine[t] = other;
  __syncwarp();
  pool[t].x = mine[t];
}

}  // namespace

bool run_racy_kernel(const std::string& name) {
  auto* const pool = static_cast<uint4*>(simt::host::device_alloc(rows * sizeof(uint4)));
  bool known = true;
  if (name == "tiles")
    simt::launch({1, 16}, tiles_without_barrier_kernel, pool);
  else if (name == "rows_over_blocks")
    simt::launch({3, 16}, rows_over_blocks_kernel, pool);
  else if (name == "tree")
    simt::launch({1, 64, 64 * sizeof(unsigned)}, tree_without_barrier_kernel, pool);
  else if (name == "warp")
    simt::launch({1, 32, 32 * sizeof(unsigned)}, warp_without_barrier_kernel, pool);
  else if (name == "turn")
    simt::launch({1, 64, 64 * sizeof(unsigned)}, turn_without_barrier_kernel, pool);
  else if (name == "warp_turn")
    simt::launch({1, 32, 32 * sizeof(unsigned)}, turn_without_warp_barrier_kernel, pool);
  else
    known = false;
  simt::host::device_free(pool);
  return known;
}

}  // namespace vacancy::test
