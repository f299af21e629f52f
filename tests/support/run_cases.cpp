// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.hpp"

#include "tests/support/skip.hpp"

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

namespace vacancy::test {

int run_cases(int argc, char* argv[]) {
  if (Catch::Session().run(argc, argv) != 0) return 1;
  return any_skipped ? skipped_code : 0;
}

}  // namespace vacancy::test
