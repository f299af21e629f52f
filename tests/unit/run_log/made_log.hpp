// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace vacancy::test {

/// A small valid log in a folder of its own, to be broken piece by piece.
class MadeLog {
 public:
  MadeLog() {
    folder_ = std::filesystem::temp_directory_path() /
              ("vacancy_run_log_" + std::to_string(::getpid()) + "_" + std::to_string(counter_++));
    std::filesystem::create_directories(folder_);
    write("meta.json", meta);
    write("requests.jsonl", requests);
    write("timeseries.csv", ticks);
  }
  ~MadeLog() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  MadeLog(const MadeLog&) = delete;
  MadeLog& operator=(const MadeLog&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

  void write(const char* file, std::string_view text) const {
    std::ofstream(folder_ / file, std::ios::binary) << text;
  }
  /// Replaces the first occurrence of `from` in one of the files.
  void replace(const char* file, std::string_view from, std::string_view to) const {
    std::string text(file == std::string_view("meta.json")        ? meta
                     : file == std::string_view("requests.jsonl") ? requests
                                                                  : ticks);
    const std::size_t at = text.find(from);
    if (at == std::string::npos) std::abort();
    write(file, text.replace(at, from.size(), to));
  }

  static constexpr std::string_view meta = R"({
  "schema_version": 1, "model": "made", "vllm_version": "0.0", "num_requests": 3,
  "dataset_hash": "ab12", "tick_seconds": 1.0,
  "engine_kwargs": {"max_num_seqs": 256, "max_num_batched_tokens": 2048, "seed": 42},
  "kv_cache": {"num_gpu_blocks": 11, "block_size": 16, "num_kv_tokens": 176,
               "enable_prefix_caching": true},
  "hardware": {"device_name": "made", "device_total_memory_bytes": 1024},
  "resolved_config": {"scheduler_config": {"async_scheduling": true,
                                           "scheduler_reserve_full_isl": true}}
})";
  static constexpr std::string_view requests =
      R"({"request_id": "a", "input_toks": 10, "output_toks": 3, "arrival_time": 1000.25, "queued_ts": 50.5, "scheduled_ts": 50.6, "first_token_ts": 51.0, "last_token_ts": 52.0}
{"request_id": "b", "input_toks": 20, "output_toks": 1, "arrival_time": 1000.75, "queued_ts": 50.9, "scheduled_ts": 51.0, "first_token_ts": 51.5, "last_token_ts": 51.5}
{"request_id": "c", "input_toks": 30, "output_toks": 2, "arrival_time": 1001.0, "queued_ts": 51.5, "scheduled_ts": 51.5, "first_token_ts": 51.75, "last_token_ts": 52.25}
)";
  static constexpr std::string_view ticks =
      "t,prompt_throughput,gen_throughput,running,waiting,kv_cache_pct\n"
      "1.0,40.0,2.0,2,1,20.0\n"
      "2.0,20.0,4.0,0,0,99.97\n";

 private:
  static inline int counter_ = 0;
  std::filesystem::path folder_;
};

}  // namespace vacancy::test
