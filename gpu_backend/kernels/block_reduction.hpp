// SPDX-License-Identifier: Apache-2.0
// One number from one a thread.
#pragma once

#include "gpu_backend/simt/simt.hpp"

namespace vacancy::gpu {
inline namespace VACANCY_SIMT_BACKEND {

template <int kWarps>
struct WarpValues {
  float values[kWarps];
};

/// Over a block of kThreads, in the same order in every run; `nothing` changes no value. Two
/// barriers.
template <int kThreads, class Combine>
__device__ __forceinline__ float block_combine(float value, float nothing, Combine combine) {
  constexpr int kWarps = kThreads / 32;
  auto& shared = simt::shared<WarpValues<kWarps>>();
#pragma unroll
  for (int o = 16; o > 0; o >>= 1)
    value = combine(value, __shfl_xor_sync(0xFFFFFFFFu, value, o));
  if (threadIdx.x % 32 == 0) shared.values[threadIdx.x / 32] = value;
  __syncthreads();
  float result = nothing;
  for (int w = 0; w < kWarps; ++w)
    result = combine(result, shared.values[w]);
  __syncthreads();
  return result;
}
template <int kThreads>
__device__ __forceinline__ float block_sum(float value) {
  return block_combine<kThreads>(value, 0.0f, [](float a, float b) { return a + b; });
}
template <int kThreads>
__device__ __forceinline__ float block_max(float value) {
  return block_combine<kThreads>(value, -INFINITY, [](float a, float b) { return fmaxf(a, b); });
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::gpu
