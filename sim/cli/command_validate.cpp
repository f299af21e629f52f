// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/commands.hpp"
#include "sim/cli/program.hpp"
#include "sim/scenario/json_document.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/sweep/execute.hpp"
#include "sim/sweep/sweep.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

struct ValidateOptions {
  std::vector<std::string> files;
  ScenarioOverrides overrides;
};

/// Checks one file and says what it is; its notes.
std::vector<std::string> check(const std::string& file, const ScenarioOverrides& overrides,
                               const Console& console) {
  const std::string text = read_text_file(file);  // once: it may be a pipe
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (is_sweep_text(text)) {
    const Sweep sweep = load_sweep_text(text, file, folder, overrides.assignments);
    console.out << file << ": valid: a sweep of " << counted(sweep.points(), "point");
    if (sweep.runs_per_point() > 1) console.out << ", " << counted(sweep.seeds.size(), "seed");
    console.out << '\n';
    return sweep_notes(sweep);
  }
  const Scenario scenario = load_scenario_text(text, file, folder, overrides);
  console.out << file << ": valid\n";
  return scenario.notes;
}

/// Checks every file, also after a faulty one.
int validate(const ValidateOptions& options, const Console& console) {
  int code = exit_ok;
  for (const std::string& file : options.files) {
    try {
      for (const std::string& note : check(file, options.overrides, console))
        console.out << file << ": note: " << note << '\n';
    } catch (const UserError& error) {
      console.err << error.what() << '\n';
      code = exit_user_error;
    }
  }
  return code;
}

}  // namespace

void add_validate_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<ValidateOptions>();
  CLI::App& command =
      *app.add_subcommand("validate", "Check scenario and sweep files; lists every fault of each.");
  command.add_option("files", options->files, "Scenario or sweep files.")
      ->required()
      ->type_name("FILE");
  command
      .add_option("--set", options->overrides.assignments,
                  "Another value for a key, as for run. Once for each key.")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.footer(
      "Example:\n  vacancy validate scenarios/*/*.json\n"
      "Exit code 2 if a file has a fault.");
  command.callback([options, &console, &exit_code] { exit_code = validate(*options, console); });
}

}  // namespace vacancy
