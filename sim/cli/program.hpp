// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/cli/console.hpp"

namespace vacancy {

/// Exit codes (contract §1). A bug aborts.
enum ExitCode : int {
  exit_ok = 0,
  exit_unfinished = 1,   // a run ended without finishing its work
  exit_user_error = 2,   // arguments or input
  exit_cancelled = 130,  // Ctrl-C, as shells report it
};

/// The `vacancy` program: reads the arguments, runs the command, returns the exit code.
int run_program(int argc, const char* const* argv, const Console& console);

}  // namespace vacancy
