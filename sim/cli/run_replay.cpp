// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/cli/finish_run.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/serving_report.hpp"
#include "sim/simulation/miss_log.hpp"
#include "sim/study/replay_run.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

int run_replay(const RunOptions& options, const Scenario& scenario, const Console& console) {
  if (options.events)
    throw UserError("--events records a run with a clock; this scheduler has none. Leave it out.");
  if (options.map && !options.quiet)
    console.err << "note: no map: this scheduler shows no blocks at a moment.\n";
  const InterruptGuard guard;  // from here on there are files to clean up
  RunFiles files(options);
  std::optional<ReplayMissLog> misses;
  if (std::ostream* const out = files.misses()) misses.emplace(*out);
  ReplayRun run(scenario, misses ? &*misses : nullptr);
  if (!finish_run(run, guard, console, options.quiet, "requests")) return cancelled(console);

  const Summary summary = run.summary();
  const std::string stop_reason = run.stop_reason();
  const std::string summary_json = to_json(summary);
  files.commit(scenario, summary_json);
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_serving_report(text, scenario, summary, stop_reason, console.columns);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (stop_reason.empty()) return exit_ok;
  if (options.quiet) console.err << stop_sentence(stop_reason) << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
