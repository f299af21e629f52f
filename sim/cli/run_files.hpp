// SPDX-License-Identifier: Apache-2.0
#pragma once

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

/// The files of `--out` and `--misses`, or nothing without them.
class RunFiles {
 public:
  explicit RunFiles(const RunOptions& options);

  /// Hands the observers that write timeline and events to `add`.
  void observe(std::function<CacheGauges()> gauges, const std::function<void(Observer&)>& add);
  /// The same for what only runs of an engine write.
  void observe_serving(const CacheManager& cache, std::uint32_t block_size,
                       const std::function<void(Observer&)>& add);
  /// Where `--misses` goes, or null without it.
  std::ostream* misses();
  void add(const std::string& name, const std::string& text);
  /// Writes summary and resolved scenario, and gives all files their names.
  void commit(const Scenario& scenario, const std::string& summary_json);
  /// "Written to DIR.", "Misses written to FILE.", what of it there is.
  std::string sentence() const;

 private:
  bool with_events_, with_kv_events_, with_trace_;
  std::filesystem::path misses_;
  std::optional<OutputFolder> folder_, misses_folder_;
  std::optional<Timeline> timeline_;
  std::optional<EventLog> events_;
  std::optional<KvEventLog> kv_events_;
  std::optional<ChromeTrace> trace_;
};

}  // namespace vacancy
