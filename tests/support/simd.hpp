// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <catch2/catch.hpp>

#include "sim/units/simd.hpp"

namespace vacancy::test {

/// Calls f with every instruction set that this CPU has, and names it if a check fails there.
template <class F>
void for_each_simd(F&& f) {
  for (const Simd simd : all_simd) {
    if (!supported(simd)) continue;
    INFO("instructions: " << name(simd));
    f(simd);
  }
}

}  // namespace vacancy::test
