// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/trace_commands.hpp"
#include "sim/cli/trace_output.hpp"
#include "sim/scenario/overrides.hpp"
#include "sim/scenario/value_reader.hpp"
#include "sim/units/error.hpp"
#include "sim/units/suggest.hpp"
#include "sim/workload/synthetic/synthetic.hpp"

namespace vacancy {

namespace {

struct MakeOptions {
  std::string kind;
  std::vector<std::string> overrides;
  std::uint64_t seed = 0;
  TraceOutput output;
};

const SyntheticEntry& find_kind(const std::string& kind) {
  if (const SyntheticEntry* entry = find_synthetic_workload(kind)) return *entry;
  std::vector<std::string_view> names;
  std::string all;
  for (const SyntheticEntry& entry : synthetic_workloads()) {
    names.emplace_back(entry.info.name);
    all += (all.empty() ? "" : ", ") + entry.info.name;
  }
  throw UserError("There is no synthetic workload \"" + kind + "\"." + did_you_mean(kind, names) +
                  " Workloads: " + all + ".");
}

/// Every default filled in.
ParameterValues read_overrides(const std::vector<std::string>& overrides, const EntryInfo& info) {
  Diagnostics faults(info.name);
  JsonNode root;
  root.kind = JsonNode::Kind::object;
  apply_overrides(overrides, root, faults);
  ParameterValues values = read_parameters(root, info.name, info.parameters, faults);
  faults.throw_if_any();
  return values;
}

int trace_make(const MakeOptions& options, const Console& console) {
  const SyntheticEntry& entry = find_kind(options.kind);
  const TraceTargetEntry& target = options.output.target();
  const auto trace = entry.make(read_overrides(options.overrides, entry.info), options.seed);
  options.output.write(*trace, target, console);
  return exit_ok;
}

}  // namespace

void add_trace_make_command(CLI::App& trace, const Console& console, int& exit_code) {
  const auto options = std::make_shared<MakeOptions>();
  CLI::App& command =
      *trace.add_subcommand("make", "Make a trace: arrivals, lengths and shared prefixes by law.");
  command
      .add_option("kind", options->kind,
                  "What to make, with its parameters: vacancy list synthetic.")
      ->required()
      ->type_name("KIND");
  command.add_option("--set", options->overrides, "A parameter, such as turns=8; once for each.")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", options->seed, "Key of all random draws; default 0.")
      ->check(whole_number())
      ->type_name("N");
  // Nothing of anybody's is lost: the parameters say how to make it again.
  options->output.drop = {std::string(enum_name(TraceLoss::block_size)),
                          std::string(enum_name(TraceLoss::time_digits))};
  options->output.add_to(command, "mooncake");
  command.footer(
      "Examples:\n"
      "  vacancy trace make rag --set documents=200 --set block_size=512 -o rag.jsonl\n"
      "  vacancy trace make independent --set burstiness=3 --to csv \\\n"
      "    --drop block_keys -o burst.csv");
  command.callback([options, &console, &exit_code] { exit_code = trace_make(*options, console); });
}

}  // namespace vacancy
