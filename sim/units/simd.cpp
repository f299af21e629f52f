// SPDX-License-Identifier: Apache-2.0
#include "sim/units/simd.hpp"

#include <algorithm>

namespace vacancy {

bool supported(Simd simd) {
#if defined(VACANCY_X86_64)
  switch (simd) {
    case Simd::baseline:
      return true;
    case Simd::avx2:
      return __builtin_cpu_supports("avx2");
    case Simd::avx512:
      return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
  }
  return false;
#else
  return simd == Simd::baseline;
#endif
}

Simd widest_simd() {
  static const Simd widest = *std::find_if(all_simd.rbegin(), all_simd.rend(), supported);
  return widest;
}

}  // namespace vacancy
