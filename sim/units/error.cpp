// SPDX-License-Identifier: Apache-2.0
#include "sim/units/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace vacancy {

void assertion_failed(const char* condition, const char* reason, const char* file, int line) {
  std::fprintf(stderr, "vacancy: bug: %s (%s) at %s:%d\n", reason, condition, file, line);
  std::abort();
}

}  // namespace vacancy
