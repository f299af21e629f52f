// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/console.hpp"
#include "sim/cli/program.hpp"

int main(int argc, char** argv) {
  return vacancy::run_program(argc, argv, vacancy::standard_console());
}
