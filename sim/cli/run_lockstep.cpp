// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/finish_run.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/keep_sets_option.hpp"
#include "sim/cli/print_maps.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/report.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/study/block_map.hpp"
#include "sim/study/lockstep_run.hpp"

namespace vacancy {

int run_lockstep(const RunOptions& options, const Scenario& scenario, const Console& console) {
  LockstepRun run(scenario);
  const Simulation& simulation = run.simulation();
  const KvCache& cache = simulation.cache();
  RunFacts facts(cache);
  BlockMapRecorder maps(cache);
  run.add_observer(facts);
  if (options.map && !options.quiet) run.add_observer(maps);

  const InterruptGuard guard;  // from here on there are files to clean up
  RunFiles files(options);
  files.observe([&cache] { return gauges_of(cache.pool()); },
                [&](Observer& observer) { run.add_observer(observer); });
  const auto keep_sets = record_keep_sets(options, run, files.keep_sets());
  if (!finish_run(run, guard, console, options.quiet, "tokens")) return cancelled(console);

  if (keep_sets) keep_sets->finish();
  const Summary summary = run.summary();
  const std::string stop_reason = run.stop_reason();
  const std::string summary_json = to_json(summary);
  files.commit(scenario, summary_json);

  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_report(text, {scenario, simulation, summary, facts, stop_reason}, console.columns);
    if (options.map) print_maps(text, maps, cache, simulation.now(), options, console);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (stop_reason.empty()) return exit_ok;
  if (options.quiet) console.err << stop_reason << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
