// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#if defined(__x86_64__) && defined(__GNUC__)
#define VACANCY_X86_64 1
#endif

namespace vacancy {

/// Instructions that a kernel may use. Kernels are integer arithmetic, so that all their forms give
/// the same bits; tests run every form that the CPU at hand supports.
enum class Simd { baseline, avx2, avx512 };

inline constexpr std::array all_simd{Simd::baseline, Simd::avx2, Simd::avx512};

constexpr const char* name(Simd simd) {
  switch (simd) {
    case Simd::baseline:
      return "baseline";
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
  }
  return "";
}

/// Whether this CPU, and the compiler that built the program, have the instructions.
bool supported(Simd simd);

/// The widest that is supported.
Simd widest_simd();

}  // namespace vacancy
