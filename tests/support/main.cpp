// SPDX-License-Identifier: Apache-2.0
#include "tests/support/run_cases.hpp"

int main(int argc, char* argv[]) {
  return vacancy::test::run_cases(argc, argv);
}
