// SPDX-License-Identifier: Apache-2.0
// CUDA's keywords and built-in types and variables, as C++ that the executor understands.
#pragma once

#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)
#define __grid_constant__

// Inline, so that symbols differ from CUDA's own in a program that links both builds of the
// kernels.
inline namespace vacancy_simt {

struct uint3 {
  unsigned x, y, z;
};
struct dim3 {
  unsigned x, y, z;
  constexpr dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(8) uint2 {
  unsigned x, y;
};
struct alignas(16) uint4 {
  unsigned x, y, z, w;
};
struct alignas(8) float2 {
  float x, y;
};
struct alignas(16) float4 {
  float x, y, z, w;
};
constexpr uint2 make_uint2(unsigned x, unsigned y) {
  return {x, y};
}
constexpr uint4 make_uint4(unsigned x, unsigned y, unsigned z, unsigned w) {
  return {x, y, z, w};
}
constexpr float2 make_float2(float x, float y) {
  return {x, y};
}
constexpr float4 make_float4(float x, float y, float z, float w) {
  return {x, y, z, w};
}

inline constexpr int warpSize = 32;
// Set by the executor at each switch to another thread.
constinit inline thread_local uint3 threadIdx{}, blockIdx{};
constinit inline thread_local dim3 blockDim{}, gridDim{};

}  // namespace vacancy_simt
