// SPDX-License-Identifier: Apache-2.0
#include <csignal>

#include "sim/cli/console.hpp"
#include "sim/cli/program.hpp"

int main(int argc, char** argv) {
  // A file that may not grow is told of as any other that cannot be written.
  std::signal(SIGXFSZ, SIG_IGN);
  return vacancy::run_program(argc, argv, vacancy::standard_console());
}
