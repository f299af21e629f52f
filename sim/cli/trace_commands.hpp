// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>

#include "sim/cli/console.hpp"

namespace vacancy {

// The commands under `vacancy trace`, one a file.

void add_trace_info_command(CLI::App& trace, const Console& console, int& exit_code);
void add_trace_convert_command(CLI::App& trace, const Console& console, int& exit_code);
void add_trace_make_command(CLI::App& trace, const Console& console, int& exit_code);

}  // namespace vacancy
