// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/App.hpp>

#include "sim/cli/console.hpp"

namespace vacancy {

// Each adds one command to the program. The command writes its exit code when it is called.

void add_run_command(CLI::App& app, const Console& console, int& exit_code);
void add_validate_command(CLI::App& app, const Console& console, int& exit_code);
void add_replay_command(CLI::App& app, const Console& console, int& exit_code);
void add_list_command(CLI::App& app, const Console& console, int& exit_code);
void add_schema_command(CLI::App& app, const Console& console, int& exit_code);
void add_size_command(CLI::App& app, const Console& console, int& exit_code);
void add_fit_cost_command(CLI::App& app, const Console& console, int& exit_code);
void add_conformance_command(CLI::App& app, const Console& console, int& exit_code);
void add_trace_command(CLI::App& app, const Console& console, int& exit_code);
void add_sweep_command(CLI::App& app, const Console& console, int& exit_code);
void add_lesson_command(CLI::App& app, const Console& console, int& exit_code);
void add_calibrate_command(CLI::App& app, const Console& console, int& exit_code);
void add_verify_command(CLI::App& app, const Console& console, int& exit_code);

}  // namespace vacancy
