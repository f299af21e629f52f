// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_files.hpp"

#include <utility>

namespace vacancy {

namespace {

constexpr const char* summary_file = "summary.json";
constexpr const char* timeline_file = "timeline.csv";
constexpr const char* scenario_file = "scenario.json";
constexpr const char* events_file = "events.jsonl";
constexpr const char* kv_events_file = "kv_events.jsonl";
constexpr const char* trace_file = "trace.json";

}  // namespace

RunFiles::RunFiles(const RunOptions& options)
    : with_events_(options.events),
      with_kv_events_(options.kv_events),
      with_trace_(options.trace),
      misses_(options.misses) {
  if (!options.out.empty()) folder_.emplace(options.out);
  if (!misses_.empty()) misses_folder_.emplace(folder_of_file(misses_));
}

std::ostream* RunFiles::misses() {
  return misses_folder_ ? &misses_folder_->file(misses_.filename().string()) : nullptr;
}

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
  if (misses_folder_) misses_folder_->commit();
  if (!folder_) return;
  folder_->file(summary_file) << summary_json;
  folder_->file(scenario_file) << resolved_json(scenario).dump(2) << '\n';
  if (events_) events_->flush();
  if (trace_) trace_->finish();
  folder_->commit({events_file, timeline_file, requests_file, kv_events_file, trace_file});
}

std::string RunFiles::sentence() const {
  std::string text;
  if (folder_) text += "\nWritten to " + folder_->path().string() + ".\n";
  if (misses_folder_) text += "\nMisses written to " + misses_.string() + ".\n";
  return text;
}

}  // namespace vacancy
