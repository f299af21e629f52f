// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/block_map.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/cli/keep_sets_option.hpp"
#include "sim/cli/print_maps.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/report.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/simulation/simulation.hpp"

namespace vacancy {

namespace {

/// Steps until the run is over; false if the user cancelled it.
bool simulate(Simulation& simulation, const InterruptGuard& guard, const Console& console,
              bool quiet) {
  Progress progress(console, !quiet, "tokens");
  while (simulation.step() == RunStatus::running) {
    if (guard.interrupted()) return false;
    progress.update(simulation.tokens_done(), simulation.tokens_planned());
  }
  return !guard.interrupted();
}

}  // namespace

int run_lockstep(const RunOptions& options, const Scenario& scenario, const Console& console) {
  Simulation simulation(build_config(scenario), {});
  const KvCache& cache = simulation.cache();
  Metrics metrics(cache.config(), cache.pool(), scenario.seed);
  RunFacts facts(cache);
  BlockMapRecorder maps(cache);
  simulation.add_observer(metrics);
  simulation.add_observer(facts);
  if (options.map && !options.quiet) simulation.add_observer(maps);

  const InterruptGuard guard;  // from here on there are files to clean up
  RunFiles files(options);
  files.observe([&cache] { return gauges_of(cache.pool()); },
                [&](Observer& observer) { simulation.add_observer(observer); });
  const auto keep_sets = record_keep_sets(options, simulation, files.keep_sets());
  if (!simulate(simulation, guard, console, options.quiet)) return cancelled(console);

  if (keep_sets) keep_sets->finish();
  Summary summary = metrics.summary();
  summary.serving.unfinished = simulation.unfinished();
  const std::string summary_json = to_json(summary);
  files.commit(scenario, summary_json);

  const FinishedRun finished{scenario, simulation, summary, facts};
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_report(text, finished, console.columns);
    if (options.map) print_maps(text, maps, cache, simulation.now(), options, console);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (simulation.status() == RunStatus::completed) return exit_ok;
  if (options.quiet) console.err << unfinished_sentence(finished) << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
