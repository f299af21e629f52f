// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/cli/block_map.hpp"
#include "sim/cli/commands.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/map_view.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report.hpp"
#include "sim/metrics/event_log.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/metrics/timeline.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/simulation/simulation.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

namespace vacancy {

namespace {

constexpr const char* summary_file = "summary.json";
constexpr const char* timeline_file = "timeline.csv";
constexpr const char* scenario_file = "scenario.json";
constexpr const char* events_file = "events.jsonl";

struct RunOptions {
  std::string scenario;
  ScenarioOverrides overrides;
  std::string out;
  bool json = false, map = false, events = false, quiet = false;
  ColorMode color = ColorMode::automatic;
};

std::string moment(SimTime time) {
  return "at " + format_duration(time);
}

void print_maps(std::ostream& out, const BlockMapRecorder& maps, const Simulation& simulation,
                const MapStyle& style) {
  out << '\n';
  if (maps.before()) {
    draw_map(out, *maps.before(), "Before the last eviction, " + moment(maps.before()->time),
             style);
    out << '\n';
    draw_map(out, *maps.after(), "After it", style);
  } else {
    draw_map(out, take_snapshot(simulation.cache(), simulation.now()), "At the end", style);
  }
  out << '\n';
  draw_map_key(out, style);
}

/// Steps until the run is over; false if the user cancelled it.
bool simulate(Simulation& simulation, const InterruptGuard& guard, const Console& console,
              bool quiet) {
  Progress progress(console, !quiet);
  while (simulation.step() == RunStatus::running) {
    if (guard.interrupted()) return false;
    progress.update(simulation.tokens_done(), simulation.tokens_planned());
  }
  return !guard.interrupted();
}

int run(const RunOptions& options, const Console& console) {
  if (options.events && options.out.empty())
    throw UserError("--events writes events.jsonl into a folder: name it with --out DIR.");
  const Scenario scenario = load_scenario(options.scenario, options.overrides);
  SimulationConfig config = build_config(scenario);
  if (!options.quiet)
    for (const std::string& note : scenario.notes)
      console.err << "note: " << note << '\n';

  Simulation simulation(std::move(config), {});
  const KvCache& cache = simulation.cache();
  Metrics metrics(cache.config(), cache.pool(), scenario.seed);
  RunFacts facts(cache);
  BlockMapRecorder maps(cache);
  simulation.add_observer(metrics);
  simulation.add_observer(facts);
  if (options.map && !options.quiet) simulation.add_observer(maps);

  const InterruptGuard guard;  // from here on there are files to clean up
  std::optional<OutputFolder> folder;
  std::optional<Timeline> timeline;
  std::optional<EventLog> events;
  if (!options.out.empty()) {
    folder.emplace(options.out);
    simulation.add_observer(timeline.emplace(folder->file(timeline_file), cache.pool()));
    if (options.events) simulation.add_observer(events.emplace(folder->file(events_file)));
  }

  if (!simulate(simulation, guard, console, options.quiet)) {
    console.err << "Cancelled; nothing was written.\n";
    return exit_cancelled;
  }

  Summary summary = metrics.summary();
  summary.serving.unfinished = simulation.unfinished();
  const std::string summary_json = to_json(summary);
  if (folder) {
    folder->file(summary_file) << summary_json;
    folder->file(scenario_file) << resolved_json(scenario).dump(2) << '\n';
    if (events) events->flush();
    folder->commit({events_file});
  }

  const FinishedRun finished{scenario, simulation, summary, facts};
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_report(text, finished, console.columns);
    if (options.map) {
      const bool terminal = options.json ? console.err_is_terminal : console.out_is_terminal;
      print_maps(text, maps, simulation,
                 {console.columns, console.colored(options.color, terminal)});
    }
    if (folder) text << "\nWritten to " << folder->path().string() << ".\n";
  }
  if (options.json) console.out << summary_json;
  if (simulation.status() == RunStatus::completed) return exit_ok;
  if (options.quiet) console.err << unfinished_sentence(finished) << '\n';
  return exit_unfinished;
}

}  // namespace

void add_run_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<RunOptions>();
  CLI::App& command = *app.add_subcommand("run", "Run a scenario and report what came back.");
  command.add_option("scenario", options->scenario, "Scenario file (JSON).")
      ->required()
      ->type_name("FILE");
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
  command.add_flag("--json", options->json,
                   "The summary as JSON, alone, on standard output; the report goes to standard "
                   "error.");
  command.add_flag("--map", options->map,
                   "Every block before and after the last eviction, as characters.");
  command
      .add_option_function<std::string>(
          "--color",
          [options](const std::string& name) { options->color = *enum_value<ColorMode>(name); },
          "Colors in the map: auto (on a terminal, unless NO_COLOR is set), always, never.")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN");
  command.add_flag("--quiet", options->quiet, "Nothing but errors, and what --json asks for.");
  command.footer(
      "Examples:\n"
      "  vacancy run scenarios/seed/evict_14k_of_16k.json --set reclaim.kind=slide\n"
      "  vacancy run my.json --seed 7 --out results/7 --events\n"
      "  vacancy run my.json --json --quiet | jq .reclaim.reclaim_efficiency");
  command.callback([options, &console, &exit_code] { exit_code = run(*options, console); });
}

}  // namespace vacancy
