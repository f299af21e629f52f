// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "sim/cli/commands.hpp"
#include "sim/cli/program.hpp"
#include "sim/json/json_text.hpp"
#include "sim/scenario/json_schema.hpp"
#include "sim/scenario/reference.hpp"
#include "sim/sweep/sweep_schema.hpp"

namespace vacancy {

void add_schema_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto markdown = std::make_shared<bool>(false), sweep = std::make_shared<bool>(false);
  CLI::App& command = *app.add_subcommand(
      "schema", "Print the schema of scenario files, for editors that complete and check.");
  CLI::Option* const page =
      command.add_flag("--markdown", *markdown, "A reference page instead of JSON Schema.");
  command.add_flag("--sweep", *sweep, "Of sweep files instead of scenarios.")->excludes(page);
  command.footer("Example:\n  vacancy schema > scenario.schema.json");
  command.callback([markdown, sweep, &console, &exit_code] {
    if (*markdown)
      console.out << scenario_reference();
    else if (*sweep)
      console.out << json_text(sweep_json_schema());
    else
      console.out << json_text(scenario_json_schema());
    exit_code = exit_ok;
  });
}

}  // namespace vacancy
