// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "sim/cli/commands.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/option_checks.hpp"
#include "sim/cli/output_folder.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/sweep_report.hpp"
#include "sim/sweep/execute.hpp"
#include "sim/sweep/plot.hpp"
#include "sim/sweep/png.hpp"
#include "sim/sweep/result_files.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

struct SweepOptions {
  std::string file, out;
  std::vector<std::string> assignments;
  std::optional<std::uint64_t> limit;
  std::size_t jobs = std::max(std::thread::hardware_concurrency(), 1u);
  bool fresh = false, quiet = false, json = false;
};

SweepTiming run_points(const Sweep& sweep, Journal& journal, std::uint64_t points,
                       const SweepOptions& options, const InterruptGuard& guard,
                       const Console& console) {
  Progress progress(console, !options.quiet, "runs");
  Execution how;
  how.points = points;
  how.jobs = options.jobs;
  how.cancelled = [&] { return guard.interrupted(); };
  how.tell = [&](const SweepProgress& at) {
    std::string detail;
    if (at.early > 0) detail += ", " + format_count(at.early) + " ended early";
    if (at.refused > 0) detail += ", " + format_count(at.refused) + " void";
    progress.update(at.done, at.total, detail);
  };
  return execute(sweep, journal, how);
}

/// Files of plots that an earlier start may have left.
std::vector<std::string> old_plots(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with("plot_") && (name.ends_with(".svg") || name.ends_with(".png")))
      names.push_back(name);
  }
  return names;
}

/// Returns whether plots have come out as pictures too.
bool write_results(const Sweep& sweep, const SweepResults& results, const std::string& json,
                   const Journal& journal, OutputFolder& folder) {
  folder.file("results.csv") << results_csv(sweep, results);
  folder.file("results.json") << json;
  folder.file("results.md") << results_markdown(sweep, results);
  folder.file(journal_file) << journal.sorted();
  bool pictures = true;
  for (std::size_t i = 0; i < sweep.plots.size(); ++i) {
    const std::string name = "plot_" + std::to_string(i + 1);
    const std::string svg = plot_svg(plot_of(sweep, results, sweep.plots[i]));
    folder.file(name + ".svg") << svg;
    const auto png = png_of_svg(svg);
    pictures = pictures && png;
    if (png) folder.file(name + ".png") << *png;
  }
  folder.commit(old_plots(folder.path()));
  return pictures;
}

int sweep(const SweepOptions& options, const Console& console) {
  const Sweep sweep = load_sweep(options.file, options.assignments);
  const std::uint64_t points = std::min(sweep.points(), options.limit.value_or(sweep.points()));
  const InterruptGuard guard;  // from here on there are files
  OutputFolder folder(options.out);
  Journal journal(folder.path(), sweep_identity(sweep), options.fresh);
  if (!journal.note().empty()) console.err << "note: " << journal.note() << '\n';
  const SweepTiming timing = run_points(sweep, journal, points, options, guard, console);
  if (!complete(sweep, journal, points)) {
    console.err << "Cancelled: " << counted(journal.records().size(), "finished run") << " of "
                << format_count(points * sweep.runs_per_point()) << " kept in " << options.out
                << ". The same command goes on from there.\n";
    return exit_cancelled;
  }
  const SweepResults results = results_of(sweep, journal.records(), points);
  if (results.count(RunState::empty) == points)
    throw UserError("No point of the sweep can run. The first says: " +
                    results.points.front().reason);
  const std::string json = results_json(sweep, results);
  const bool pictures = write_results(sweep, results, json, journal, folder);
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_sweep_report(text, sweep, results, timing, console.columns);
    text << "\nWritten to " << options.out << ".\n";
    if (!pictures)
      console.err
          << "note: not every plot is there as PNG: that takes a build with librsvg (Debian: "
             "librsvg2-dev), and a picture of at most 32,767 pixels a side.\n";
  }
  if (options.json) console.out << json;
  const bool all_done =
      results.count(RunState::unfinished) == 0 && results.count(RunState::failed) == 0;
  return all_done ? exit_ok : exit_unfinished;
}

}  // namespace

void add_sweep_command(CLI::App& app, const Console& console, int& exit_code) {
  const auto options = std::make_shared<SweepOptions>();
  CLI::App& command = *app.add_subcommand(
      "sweep", "Run a scenario at many points; tables, Pareto front and plots.");
  command.add_option("sweep", options->file, "Sweep file (JSON).")->required()->type_name("SWEEP");
  command
      .add_option("-o,--out", options->out,
                  "The folder of the results. Finished runs are kept there, so that the same "
                  "command goes on after it was stopped.")
      ->required()
      ->check(not_empty())
      ->type_name("DIR");
  command
      .add_option("--set", options->assignments,
                  "Another value for a key of the scenario, as for run. Once for each key.")
      ->type_name("PATH=VALUE")
      ->allow_extra_args(false);
  command.add_option("--limit", options->limit, "Only the first N points.")
      ->check(whole_number(1))
      ->type_name("N");
  constexpr std::uint64_t most_jobs = 1024;
  command.add_option("--jobs", options->jobs, "Runs at a time; by itself one for each core.")
      ->check(whole_number(1, most_jobs))
      ->type_name("N");
  command.add_flag("--fresh", options->fresh,
                   "Throw away what an earlier sweep left in the folder.");
  command.add_flag("--json", options->json,
                   "The results as JSON, alone, on standard output; the report goes to standard "
                   "error.");
  command.add_flag("--quiet", options->quiet, "Nothing but errors, and what --json asks for.");
  command.footer(
      "Example:\n"
      "  vacancy sweep scenarios/sweeps/block_size.json -o out/block_size\n"
      "Writes results.csv, results.json, results.md and the plots, points.jsonl (every run's "
      "summary) and timing.csv. Exit code 1 if a run ended early.");
  command.callback([options, &console, &exit_code] { exit_code = sweep(*options, console); });
}

}  // namespace vacancy
