// SPDX-License-Identifier: Apache-2.0
// The one header of this folder that a kernel's source includes.
//
//   compiled by nvcc   CUDA, nothing is redefined
//   compiled by g++    the same source runs on the CPU (host/executor.hpp)
//
// Kernels are plain CUDA. Some things have a spelling of their own: launch(), shared<T>() and
// dynamic_shared<T>(), since CUDA's is no C++, and the fast functions, whose names a C library has.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>

#if defined(__CUDACC__)
#include <cuda_runtime.h>

#include "gpu_backend/simt/device_error.hpp"
#define VACANCY_SIMT_CUDA 1
#define VACANCY_SIMT_BACKEND on_cuda
#else
#include "gpu_backend/simt/host/arithmetic.hpp"
#include "gpu_backend/simt/host/executor.hpp"
#include "gpu_backend/simt/host/vocabulary.hpp"
#include "gpu_backend/simt/host/warp_operations.hpp"
#define VACANCY_SIMT_CUDA 0
#define VACANCY_SIMT_BACKEND on_cpu
#endif

// What depends on the compiler lies in an inline namespace that is named after it, so that one
// program can hold both builds of every kernel.
namespace vacancy::simt {
inline namespace VACANCY_SIMT_BACKEND {

#if VACANCY_SIMT_CUDA

inline void check(cudaError_t error, const char* what) {
  if (error != cudaSuccess)
    throw DeviceError(std::string(what) + ": " + cudaGetErrorName(error) + ": " +
                      cudaGetErrorString(error) + ".");
}

/// The block's one object of struct T in shared memory.
template <class T>
__device__ __forceinline__ T& shared() {
  static_assert(std::is_class_v<T>, "the type tells one shared object from another: name a struct");
  __shared__ T storage;
  return storage;
}
/// The dynamic_shared bytes of the launch.
template <class T>
__device__ __forceinline__ T* dynamic_shared() {
  extern __shared__ __align__(16) unsigned char vacancy_dynamic_shared[];
  return reinterpret_cast<T*>(vacancy_dynamic_shared);
}

/// Within 2 units in the last place for |x| < 1; the error grows with |x|.
__device__ __forceinline__ float fast_exp(float x) {
  return __expf(x);
}
/// 1 / sqrt(x) within 2 units in the last place, in one instruction.
__device__ __forceinline__ float fast_rsqrt(float x) {
  return rsqrtf(x);
}
/// Of an angle in turns, however many, within 2 units in the last place of 1.
__device__ __forceinline__ void sincos_of_turns(double turns, double* sine, double* cosine) {
  sincospi(2 * turns, sine, cosine);
}

#else

template <class T>
inline constexpr char shared_key = 0;

template <class T>
T& shared() {
  static_assert(std::is_class_v<T>, "the type tells one shared object from another: name a struct");
  return *static_cast<T*>(host::shared_memory(&shared_key<T>, sizeof(T), alignof(T)));
}
template <class T>
T* dynamic_shared() {
  return static_cast<T*>(host::dynamic_memory());
}

inline float fast_exp(float x) {
  return std::exp(x);
}
inline float fast_rsqrt(float x) {
  return 1.0f / std::sqrt(x);
}
inline void sincos_of_turns(double turns, double* sine, double* cosine) {
  const double radians = (turns - std::rint(turns)) * 6.283185307179586;
  *sine = std::sin(radians);
  *cosine = std::cos(radians);
}

#endif

/// Bytes of shared memory that a launch can ask for, on the current device.
inline std::size_t largest_dynamic_shared() {
#if VACANCY_SIMT_CUDA
  int device = 0, bytes = 0;
  check(cudaGetDevice(&device), "cudaGetDevice");
  check(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
        "shared memory of a block");
  return static_cast<std::size_t>(bytes);
#else
  return host::max_shared_bytes;
#endif
}

struct Launch {
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t dynamic_shared = 0;  // bytes
  void* stream = nullptr;          // cudaStream_t; the CPU has none
};

/// Throws if the launch is refused. On the CPU the kernel has run when it returns; on a GPU errors
/// inside a kernel come with the next synchronisation.
template <class... Parameters, class... Arguments>
void launch(const Launch& how, void (*kernel)(Parameters...), Arguments&&... arguments) {
#if VACANCY_SIMT_CUDA
  constexpr std::size_t without_asking = 48 * 1024;
  if (how.dynamic_shared > without_asking)
    check(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                               cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(how.dynamic_shared)),
          "more shared memory");
  cudaLaunchConfig_t config{};
  config.gridDim = how.grid;
  config.blockDim = how.block;
  config.dynamicSmemBytes = how.dynamic_shared;
  config.stream = static_cast<cudaStream_t>(how.stream);
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...),
        "launch of a kernel");
#else
  const auto body = [&] { kernel(static_cast<Parameters>(arguments)...); };
  using Body = decltype(body);
  host::run(
      how.grid, how.block, how.dynamic_shared,
      [](const void* f) { (*static_cast<std::remove_reference_t<Body>*>(f))(); }, &body);
#endif
}

}  // namespace VACANCY_SIMT_BACKEND
}  // namespace vacancy::simt
