// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/program.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <new>
#include <string>

#include "sim/cli/commands.hpp"
#include "sim/cli/help_formatter.hpp"
#include "sim/cli/usage_error.hpp"
#include "sim/units/error.hpp"
#include "sim/units/fault_sentence.hpp"

namespace vacancy {

int run_program(int argc, const char* const* argv, const Console& console) {
  CLI::App app(
      "Vacancy simulates paged KV-cache memory in LLM serving:\n"
      "how many blocks does a compression method really give back?",
      "vacancy");
  app.set_version_flag("--version", "vacancy " VACANCY_VERSION, "Show the version.");
  app.set_help_flag("-h,--help", "Show this help.");
  app.formatter(std::make_shared<HelpFormatter>(console.columns));
  app.require_subcommand(1);
  app.footer(
      "Examples:\n"
      "  vacancy run scenarios/seed/evict_14k_of_16k.json --map\n"
      "  vacancy run scenarios/seed/steady_state.json --set reclaim.kind=slide\n"
      "  vacancy list policies\n"
      "  vacancy size --model qwen3-32b --memory 6GiB\n"
      "Exit codes: 0 done, 1 the run could not finish or a check failed, 2 wrong arguments or "
      "input, 130 cancelled.");
  int exit_code = exit_ok;
  add_run_command(app, console, exit_code);
  add_validate_command(app, console, exit_code);
  add_replay_command(app, console, exit_code);
  add_list_command(app, console, exit_code);
  add_schema_command(app, console, exit_code);
  add_size_command(app, console, exit_code);
  add_conformance_command(app, console, exit_code);
  add_fit_cost_command(app, console, exit_code);
  add_trace_command(app, console, exit_code);
  add_sweep_command(app, console, exit_code);
  add_lesson_command(app, console, exit_code);
  add_verify_command(app, console, exit_code);
  add_calibrate_command(app, console, exit_code);
  for (CLI::App* command : app.get_subcommands({}))
    command->group("Commands");

  const auto refuse = [&console](const std::exception& error) {
    console.err << "error: " << fault_sentence(error) << '\n';
    return exit_user_error;
  };
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& wish) {  // help or version
    app.exit(wish, console.out, console.err);
  } catch (const CLI::ParseError& error) {
    console.err << "error: " << usage_sentence(app, error) << '\n';
    return exit_user_error;
  } catch (const UserError& error) {
    return refuse(error);
  } catch (const std::filesystem::filesystem_error& error) {  // such as a folder that vanished
    return refuse(error);
  } catch (const std::bad_alloc& error) {
    return refuse(error);
  }
  if (!console.out.flush()) {
    console.err << "error: Cannot write to standard output.\n";
    return exit_user_error;
  }
  return exit_code;
}

}  // namespace vacancy
