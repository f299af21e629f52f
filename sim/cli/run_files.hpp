// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "sim/cli/output_folder.hpp"
#include "sim/cli/run_options.hpp"
#include "sim/metrics/chrome_trace.hpp"
#include "sim/metrics/event_log.hpp"
#include "sim/metrics/kv_event_log.hpp"
#include "sim/metrics/timeline.hpp"
#include "sim/pool/cache_gauges.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

inline constexpr const char* requests_file = "requests.csv";

/// The files of `--out`, `--misses`, `--sharing` and `--keep-sets`, or nothing without them.
class RunFiles {
 public:
  /// Throws UserError where one of them cannot be written, or would take another's place or the
  /// scenario's.
  explicit RunFiles(const RunOptions& options);

  /// Hands the observers that write timeline and events to `add`.
  void observe(std::function<CacheGauges()> gauges, const std::function<void(Observer&)>& add);
  /// The same for what only runs of an engine write.
  void observe_serving(const CacheManager& cache, std::uint32_t block_size,
                       const std::function<void(Observer&)>& add);
  /// Where `--misses` goes, or null without it.
  std::ostream* misses() { return misses_ ? misses_->stream : nullptr; }
  /// The same for `--sharing`.
  std::ostream* sharing() { return sharing_ ? sharing_->stream : nullptr; }
  /// The same for `--keep-sets`.
  std::ostream* keep_sets() { return keep_sets_ ? keep_sets_->stream : nullptr; }
  void add(const std::string& name, const std::string& text);
  /// Writes summary and resolved scenario, and gives all files their names.
  void commit(const Scenario& scenario, const std::string& summary_json);
  /// "Written to DIR.", "Misses written to FILE." and so on, what of it there is.
  std::string sentence() const;

 private:
  struct SingleFile {
    explicit SingleFile(const std::filesystem::path& file);
    std::filesystem::path path;
    OutputFolder folder;
    std::ostream* stream;
  };

  bool with_events_, with_kv_events_, with_trace_;
  std::optional<OutputFolder> folder_;
  std::optional<SingleFile> misses_, sharing_, keep_sets_;
  std::optional<Timeline> timeline_;
  std::optional<EventLog> events_;
  std::optional<KvEventLog> kv_events_;
  std::optional<ChromeTrace> trace_;
};

}  // namespace vacancy
