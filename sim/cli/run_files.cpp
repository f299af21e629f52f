// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/run_files.hpp"

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
    : with_events_(options.events), with_kv_events_(options.kv_events), with_trace_(options.trace) {
  if (!options.out.empty()) folder_.emplace(options.out);
}

void RunFiles::observe(const BlockPool& pool, const std::function<void(Observer&)>& add) {
  if (!folder_) return;
  add(timeline_.emplace(folder_->file(timeline_file), pool));
  if (with_events_) add(events_.emplace(folder_->file(events_file)));
}

void RunFiles::observe_serving(const BlockPool& pool, const std::function<void(Observer&)>& add) {
  if (!folder_) return;
  if (with_kv_events_) add(kv_events_.emplace(folder_->file(kv_events_file), pool.block_size()));
  if (with_trace_) add(trace_.emplace(folder_->file(trace_file), [&pool] { return pool.held(); }));
}

void RunFiles::add(const std::string& name, const std::string& text) {
  if (folder_) folder_->file(name) << text;
}

void RunFiles::commit(const Scenario& scenario, const std::string& summary_json) {
  if (!folder_) return;
  folder_->file(summary_file) << summary_json;
  folder_->file(scenario_file) << resolved_json(scenario).dump(2) << '\n';
  if (events_) events_->flush();
  if (trace_) trace_->finish();
  folder_->commit({events_file, timeline_file, requests_file, kv_events_file, trace_file});
}

std::string RunFiles::sentence() const {
  return folder_ ? "\nWritten to " + folder_->path().string() + ".\n" : "";
}

}  // namespace vacancy
