// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/cli/interrupt.hpp"
#include "sim/cli/print_maps.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/progress.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/serving_report.hpp"
#include "sim/cli/sharing_file.hpp"
#include "sim/metrics/metrics.hpp"
#include "sim/metrics/request_recorder.hpp"
#include "sim/simulation/miss_log.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

int run_serving(const RunOptions& options, const Scenario& scenario, const Console& console) {
  const auto simulation = build_serving(scenario);
  const CacheManager& cache = simulation->cache();
  const KvCache* tables = cache.cache();
  if (options.kv_events && tables == nullptr)
    throw UserError("--kv-events tells what blocks of a table hold; " +
                    scenario.serving->config.engine.name + " has no such tables. Leave it out.");
  const auto gauges = [&cache] { return cache.gauges(); };
  Metrics metrics(scenario.cache, gauges, scenario.seed);
  RequestRecorder recorder;
  simulation->add_observer(metrics);
  simulation->add_observer(recorder);
  std::optional<BlockMapRecorder> maps;
  if (options.map && !options.quiet && tables != nullptr)
    simulation->add_observer(maps.emplace(*tables));
  else if (options.map && !options.quiet)
    console.err << "note: no map: this engine's cache has no block tables.\n";

  const InterruptGuard guard;  // from here on there are files to clean up
  RunFiles files(options);
  const auto add = [&](Observer& observer) { simulation->add_observer(observer); };
  files.observe(gauges, add);
  files.observe_serving(cache, scenario.cache.block_size, add);
  if (files.sharing()) simulation->follow_sharing();
  std::optional<EngineMissLog> misses;
  if (std::ostream* const out = files.misses())
    add(misses.emplace(*out, scenario.cache.block_size,
                       [&](SequenceId id) -> const Request& { return simulation->request(id); }));
  {
    Progress progress(console, !options.quiet, "requests");
    while (simulation->step() == RunStatus::running && !guard.interrupted())
      progress.update(simulation->requests_done(), 0);
  }
  if (guard.interrupted()) return cancelled(console);

  Summary summary = metrics.summary();
  summary.serving.unfinished = simulation->requests_left();
  summary.faults.on = scenario.eviction.faults;
  summary.windows = cache.windows();
  summary.latency = latency_figures(recorder.requests(), recorder.intervals());
  summary.throughput = throughput_figures(recorder.requests());
  const std::string summary_json = to_json(summary);
  files.add(requests_file, request_csv(recorder.requests()));
  if (std::ostream* const out = files.sharing())
    write_sharing(*out, options.sharing, merged_chains(cache.sharing()));
  files.commit(scenario, summary_json);
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_serving_report(text, scenario, summary, simulation->stop_reason(), console.columns);
    if (maps) print_maps(text, *maps, *tables, simulation->now(), options, console);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (simulation->status() == RunStatus::completed) return exit_ok;
  if (options.quiet) console.err << stop_sentence(simulation->stop_reason()) << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
