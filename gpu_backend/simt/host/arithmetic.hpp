// SPDX-License-Identifier: Apache-2.0
// Loads with a hint, bit counts and the float functions of a GPU, under CUDA's names. Fast
// functions
// (__expf and its kind) are exact here: what a GPU rounds is within the tolerances of the tests.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>

#include "gpu_backend/simt/host/vocabulary.hpp"

inline namespace vacancy_simt {

template <class T>
__forceinline__ T __ldg(const T* p) {
  return *p;
}
template <class T>
__forceinline__ T __ldcs(const T* p) {
  return *p;
}
template <class T>
__forceinline__ void __stcs(T* p, T value) {
  *p = value;
}

inline int __popc(unsigned x) {
  return std::popcount(x);
}
inline int __ffs(int x) {
  return x != 0 ? std::countr_zero(static_cast<unsigned>(x)) + 1 : 0;
}
inline unsigned __float_as_uint(float x) {
  return std::bit_cast<unsigned>(x);
}
inline float __uint_as_float(unsigned x) {
  return std::bit_cast<float>(x);
}
inline float __fmaf_rn(float a, float b, float c) {
  return std::fma(a, b, c);
}
using std::max;
using std::min;

}  // namespace vacancy_simt
