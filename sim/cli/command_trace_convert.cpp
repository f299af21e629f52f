// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/trace_commands.hpp"
#include "sim/cli/trace_output.hpp"
#include "sim/cli/trace_source.hpp"

namespace vacancy {

namespace {

struct ConvertOptions {
  TraceSource source;
  TraceOutput output;
};

int trace_convert(const ConvertOptions& options, const Console& console) {
  const TraceTargetEntry& target = options.output.target();
  const auto trace = options.source.open(target.block_size);
  options.output.write(*trace, target, console);
  return exit_ok;
}

}  // namespace

void add_trace_convert_command(CLI::App& trace, const Console& console, int& exit_code) {
  const auto options = std::make_shared<ConvertOptions>();
  CLI::App& command = *trace.add_subcommand("convert", "Write a trace in another format.");
  options->source.add_to(command);
  options->output.add_to(command, "");
  command.footer(
      "Examples:\n"
      "  vacancy trace convert traces/samples/azure.csv --to csv -o lengths.csv\n"
      "  vacancy trace convert traces/samples/llmservingsim.jsonl --to mooncake \\\n"
      "    --drop token_ids,time_digits -o out.jsonl");
  command.callback(
      [options, &console, &exit_code] { exit_code = trace_convert(*options, console); });
}

}  // namespace vacancy
