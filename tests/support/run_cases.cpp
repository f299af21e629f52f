// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.hpp"

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>

namespace vacancy::test {

int run_cases(int argc, char* argv[]) {
  return Catch::Session().run(argc, argv);
}

}  // namespace vacancy::test
