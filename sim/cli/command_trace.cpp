// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

#include "sim/cli/commands.hpp"
#include "sim/cli/trace_commands.hpp"

namespace vacancy {

void add_trace_command(CLI::App& app, const Console& console, int& exit_code) {
  CLI::App& command =
      *app.add_subcommand("trace", "Look into traces of requests, convert them, make some.");
  command.require_subcommand(1);
  add_trace_info_command(command, console, exit_code);
  add_trace_convert_command(command, console, exit_code);
  add_trace_make_command(command, console, exit_code);
  for (CLI::App* part : command.get_subcommands({}))
    part->group("Commands");
  command.footer(
      "Examples:\n"
      "  vacancy trace info traces/samples/mooncake.jsonl\n"
      "  vacancy trace convert traces/samples/azure.csv --to csv -o lengths.csv\n"
      "  vacancy trace make multi_turn --set turns=8 \\\n"
      "    --drop time_digits,block_size -o chats.jsonl");
}

}  // namespace vacancy
