// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "sim/cli/finish_run.hpp"
#include "sim/cli/free_plan_report.hpp"
#include "sim/cli/print_maps.hpp"
#include "sim/cli/program.hpp"
#include "sim/cli/run_files.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/cli/serving_report.hpp"
#include "sim/cli/sharing_file.hpp"
#include "sim/simulation/miss_log.hpp"
#include "sim/study/engine_run.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

int run_serving(const RunOptions& options, const Scenario& scenario, const Console& console) {
  EngineRun run(scenario);
  const CacheManager& cache = run.cache();
  const KvCache* tables = cache.cache();
  if (options.kv_events && tables == nullptr)
    throw UserError("--kv-events tells what blocks of a table hold; " +
                    scenario.serving->config.engine.name + " has no such tables. Leave it out.");
  std::optional<BlockMapRecorder> maps;
  if (options.map && !options.quiet && tables != nullptr)
    run.add_observer(maps.emplace(*tables));
  else if (options.map && !options.quiet)
    console.err << "note: no map: this engine's cache has no block tables.\n";

  const InterruptGuard guard;  // from here on there are files to clean up
  RunFiles files(options);
  const auto add = [&](Observer& observer) { run.add_observer(observer); };
  files.observe([&cache] { return cache.gauges(); }, add);
  files.observe_serving(cache, scenario.cache.block_size, add);
  if (files.sharing() || !options.free_plan.empty()) run.follow_sharing();
  std::optional<EngineMissLog> misses;
  if (std::ostream* const out = files.misses())
    add(misses.emplace(*out, scenario.cache.block_size, [&](SequenceId id) -> const Request& {
      return run.simulation().request(id);
    }));
  if (!finish_run(run, guard, console, options.quiet, "requests")) return cancelled(console);

  const Summary summary = run.summary();
  const std::string stop_reason = run.stop_reason();
  const std::string summary_json = to_json(summary);
  files.add(requests_file, request_csv(run.requests()));
  if (std::ostream* const out = files.sharing())
    write_sharing(*out, options.sharing, merged_chains(cache.sharing()));
  files.commit(scenario, summary_json);
  if (!options.quiet) {
    std::ostream& text = options.json ? console.err : console.out;
    print_serving_report(text, scenario, summary, stop_reason, console.columns);
    if (!options.free_plan.empty())
      print_free_plan(text, options.free_plan, cache, console.columns);
    if (maps) print_maps(text, *maps, *tables, run.simulation().now(), options, console);
    text << files.sentence();
  }
  if (options.json) console.out << summary_json;
  if (stop_reason.empty()) return exit_ok;
  if (options.quiet) console.err << stop_sentence(stop_reason) << '\n';
  return exit_unfinished;
}

}  // namespace vacancy
