// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/serving_report.hpp"
#include "sim/simulation/miss_log.hpp"
#include "sim/units/error.hpp"
#include "sim/units/format.hpp"

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
  const auto replay = build_replay(scenario, misses ? &*misses : nullptr);
  {
    Progress progress(console, !options.quiet, "requests");
    while (replay->serve() && !guard.interrupted())
      progress.update(replay->requests(), 0);
  }
  if (guard.interrupted()) return cancelled(console);

  Summary summary = replay->summary();
  summary.run.seed = scenario.seed;
  const std::string summary_json = to_json(summary);
  files.commit(scenario, summary_json);
  const std::uint64_t rejected = summary.serving.rejected;
  const std::string reason = rejected == 0 ? ""
                                           : format_count(rejected) +
                                                 " requests were rejected: each needs more blocks "
                                                 "than the pool has. Give it more (cache.blocks).";
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_serving_report(text, scenario, summary, reason, console.columns);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (rejected == 0) return exit_ok;
  if (options.quiet) console.err << stop_sentence(reason) << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
