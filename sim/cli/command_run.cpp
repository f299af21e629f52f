// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "sim/cli/commands.hpp"
#include "sim/cli/free_plan_report.hpp"
#include "sim/cli/keep_sets_option.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/scenario_text.hpp"
#include "sim/cli/sharing_file.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

bool tells_misses(const Scenario& scenario) {
  if (!scenario.serving) return false;
  const ServingScenario& serving = *scenario.serving;
  return serving.scheduler == SchedulerKind::block_replay ||
         (serving.scheduler == SchedulerKind::continuous_batching &&
          serving.config.engine.hash_chain && serving.config.engine.hash_chain->prefix_caching);
}

int run(const RunOptions& options, const Console& console) {
  if ((options.events || options.kv_events || options.trace) && options.out.empty())
    throw UserError(
        "--events, --kv-events and --trace write files into a folder: name it with --out DIR.");
  const ScenarioText text(options.scenario,
                          "Run it with vacancy sweep " + options.scenario + " -o DIR.");
  const Scenario scenario = text.load(options.overrides);
  if (!options.quiet && !scenario.obstacle)
    for (const std::string& note : scenario.notes)
      console.err << "note: " << note << '\n';
  if (!options.sharing.empty()) check_sharing(options.sharing, scenario);
  if (!options.keep_sets.empty()) check_keep_sets(options, scenario);
  if (!options.free_plan.empty()) check_free_plan(options.free_plan, scenario);
  const bool engine =
      scenario.serving && scenario.serving->scheduler == SchedulerKind::continuous_batching;
  if ((options.kv_events || options.trace) && !engine)
    throw UserError(
        "--kv-events and --trace record the run of an engine under "
        "continuous_batching; this scenario has none. Leave them out.");
  if (!options.misses.empty() && !tells_misses(scenario))
    throw UserError(
        "--misses tells why blocks of prompts were not in the cache: for block_replay and for a "
        "profile of vLLM with a prefix index under continuous_batching; this scenario has neither. "
        "Leave it out.");
  if (!scenario.serving) return run_lockstep(options, scenario, console);
  if (engine) return run_serving(options, scenario, console);
  return run_replay(options, scenario, console);
}

}  // namespace

int cancelled(const Console& console) {
  console.err << "Cancelled; nothing was written.\n";
  return exit_cancelled;
}

void add_run_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Run a scenario and report what came back.");
  command.add_option("scenario", options->scenario, "Scenario file (JSON).")
      ->required()
      ->type_name("SCENARIO");
  command
      .add_option("--set", options->overrides.assignments,
                  "Another value for a key of the file, such as eviction.budget=1024; JSON or a "
                  "bare word. Once for each key.")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--seed", options->overrides.seed, "Another seed.")
      ->check(whole_number())
      ->type_name("N");
  command
      .add_option("--out", options->out,
                  "Write summary.json, timeline.csv and scenario.json (every default explicit) "
                  "into a folder.")
      ->check(not_empty())
      ->type_name("DIR");
  command.add_flag("--events", options->events, "With --out: also events.jsonl, every event.");
  command.add_flag(
      "--kv-events", options->kv_events,
      "With --out, for engines: also kv_events.jsonl, what the prefix cache stores and "
      "removes.");
  command.add_flag("--trace", options->trace,
                   "With --out, for engines: also trace.json, steps and requests for Perfetto.");
  command
      .add_option("--misses", options->misses,
                  "Write why requests did not find more of their prompts in the cache, as CSV: for "
                  "profiles of vLLM and for block_replay.")
      ->check(not_empty())
      ->type_name("FILE");
  command
      .add_option("--sharing", options->sharing,
                  "For engines: what the prefix index holds at the end, as a graph for Graphviz "
                  "(.dot) or as GraphML (.graphml).")
      ->check(not_empty())
      ->type_name("FILE");
  CLI::Option* const keep_sets =
      command
          .add_option("--keep-sets", options->keep_sets,
                      "Without an engine: write what the rounds of one sequence kept, for vacancy "
                      "replay (.npz or .jsonl).")
          ->check(not_empty())
          ->type_name("FILE");
  command
      .add_option("--keep-sets-sequence", options->keep_sets_sequence,
                  "Which sequence that is; default 0.")
      ->check(whole_number(0, std::numeric_limits<std::uint32_t>::max()))
      ->needs(keep_sets)
      ->type_name("N");
  CLI::Option* const free_plan =
      command
          .add_option(
              "--free-plan", options->free_plan,
              "For profiles of vLLM: what the least loss would be of freeing so many cached "
              "blocks at the end, or such a share of them, and what simple orders would lose.")
          ->check(not_empty())
          ->type_name("N|P%");
  command.add_flag("--json", options->json,
                   "The summary as JSON, alone, on standard output; the report goes to standard "
                   "error.");
  CLI::Option* const map = command.add_flag(
      "--map", options->map,
      "Every block before and after the last eviction, as characters; of an engine "
      "without eviction, when most blocks were held.");
  command
      .add_option_function<std::string>(
          "--color",
          [options](const std::string& name) { options->color = *enum_value<ColorMode>(name); },
          "Colors in the map: auto (on a terminal, unless NO_COLOR is set), always, never.")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN");
  command.add_flag("--quiet", options->quiet, "Nothing but errors, and what --json asks for.")
      ->excludes(map)
      ->excludes(free_plan);
  command.footer(
      "Examples:\n"
      "  vacancy run scenarios/seed/evict_14k_of_16k.json --set reclaim.kind=slide\n"
      "  vacancy run my.json --seed 7 --out results/7 --events\n"
      "  vacancy run my.json --json --quiet | jq .reclaim.reclaim_efficiency");
  command.callback([options, &console, &exit_code] { exit_code = run(*options, console); });
}

}  // namespace vacancy
