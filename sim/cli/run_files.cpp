// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_files.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>

#include "sim/json/json_text.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

namespace {

constexpr const char* summary_file = "summary.json";
constexpr const char* timeline_file = "timeline.csv";
constexpr const char* scenario_file = "scenario.json";
constexpr const char* events_file = "events.jsonl";
constexpr const char* kv_events_file = "kv_events.jsonl";
constexpr const char* trace_file = "trace.json";

void refuse_collisions(const RunOptions& options) {
  std::map<std::filesystem::path, std::string> taken;
  const auto take = [&](const std::filesystem::path& file, const std::string& what) {
    const auto [other, fresh] = taken.emplace(std::filesystem::weakly_canonical(file), what);
    if (!fresh)
      throw UserError(what + " would take the place of " + other->second + " (" + file.string() +
                      "). Name another file.");
  };
  take(options.scenario, "the scenario");
  if (!options.out.empty())
    for (const char* const name : {summary_file, timeline_file, scenario_file, events_file,
                                   kv_events_file, trace_file, requests_file})
      taken.emplace(std::filesystem::weakly_canonical(std::filesystem::path(options.out) / name),
                    "a file of --out");
  if (!options.misses.empty()) take(options.misses, "--misses");
  if (!options.sharing.empty()) take(options.sharing, "--sharing");
  if (!options.keep_sets.empty()) take(options.keep_sets, "--keep-sets");
}

}  // namespace

RunFiles::RunFiles(const RunOptions& options)
    : with_events_(options.events), with_kv_events_(options.kv_events), with_trace_(options.trace) {
  refuse_collisions(options);
  if (!options.misses.empty()) misses_.emplace(options.misses);
  if (!options.sharing.empty()) sharing_.emplace(options.sharing);
  if (!options.keep_sets.empty()) keep_sets_.emplace(options.keep_sets);
  if (!options.out.empty()) folder_.emplace(options.out);
}

RunFiles::SingleFile::SingleFile(const std::filesystem::path& file)
    : path(file), folder(folder_of_file(file)), stream(&folder.file(file.filename().string())) {}

void RunFiles::observe(std::function<CacheGauges()> gauges,
                       const std::function<void(Observer&)>& add) {
  if (!folder_) return;
  add(timeline_.emplace(folder_->file(timeline_file), std::move(gauges)));
  if (with_events_) add(events_.emplace(folder_->file(events_file)));
}

void RunFiles::observe_serving(const CacheManager& cache, std::uint32_t block_size,
                               const std::function<void(Observer&)>& add) {
  if (!folder_) return;
  if (with_kv_events_) add(kv_events_.emplace(folder_->file(kv_events_file), block_size));
  if (with_trace_)
    add(trace_.emplace(folder_->file(trace_file), [&cache] { return cache.used_blocks(); }));
}

void RunFiles::add(const std::string& name, const std::string& text) {
  if (folder_) folder_->file(name) << text;
}

void RunFiles::commit(const Scenario& scenario, const std::string& summary_json) {
  if (misses_) misses_->folder.commit();
  if (sharing_) sharing_->folder.commit();
  if (keep_sets_) keep_sets_->folder.commit();
  if (!folder_) return;
  folder_->file(summary_file) << summary_json;
  folder_->file(scenario_file) << json_text(resolved_json(scenario));
  if (events_) events_->flush();
  if (trace_) trace_->finish();
  folder_->commit({events_file, timeline_file, requests_file, kv_events_file, trace_file});
}

std::string RunFiles::sentence() const {
  std::string text;
  if (folder_) text += "\nWritten to " + folder_->path().string() + ".\n";
  if (misses_) text += "\nMisses written to " + misses_->path.string() + ".\n";
  if (sharing_) text += "\nThe sharing graph was written to " + sharing_->path.string() + ".\n";
  if (keep_sets_) text += "\nKeep sets written to " + keep_sets_->path.string() + ".\n";
  return text;
}

}  // namespace vacancy
