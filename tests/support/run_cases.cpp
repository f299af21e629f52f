// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.hpp"

#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#include <iostream>

namespace vacancy::test {
namespace {

bool any_skipped = false;

}  // namespace

int run_cases(int argc, char* argv[]) {
  if (Catch::Session().run(argc, argv) != 0) return 1;
  return any_skipped ? skipped_code : 0;
}

void skip(const std::string& why) {
  any_skipped = true;
  std::cout << "SKIPPED: " << why << '\n';
}

}  // namespace vacancy::test
