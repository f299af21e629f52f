// SPDX-License-Identifier: Apache-2.0
// With BLOCKS = 1 a thread has 64 registers, which do; with 2 it has 32, and spills. Compiled by
// spills_stop_the_build.cmake alone.
constexpr int kThreads = 1024, kValues = 64;

extern "C" __global__ void __launch_bounds__(kThreads, BLOCKS) mirror(float* values) {
  float held[kValues];
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    held[i] = values[i * kThreads + threadIdx.x];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kValues; ++i)
    values[i * kThreads + threadIdx.x] = held[i] * held[kValues - 1 - i];
}
