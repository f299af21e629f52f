// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace vacancy::test {

/// Six points of two axes over a request of 640 tokens; one combination is void.
inline const std::string small_sweep = R"({
  "scenario": {
    "model": "qwen3-8b",
    "eviction": {"policy": "random", "scope": "model", "budget": 80, "trigger": "once",
                 "prompt": "evictable"},
    "workload": {"sequences": 1, "prompt_tokens": 640}
  },
  "axes": {"grid": [
    {"key": "cache.block_size", "name": "block", "values": [4, 8, 16]},
    {"key": "reclaim.kind", "name": "reclaim", "values": ["none", "slide"]}
  ]},
  "seeds": [1, 2],
  "figures": ["reclaim.reclaim_efficiency", "reclaim.bytes_moved"],
  "pareto": {"maximize": ["reclaim.reclaim_efficiency"], "minimize": ["reclaim.bytes_moved"]},
  "skip": [{"where": {"block": 4, "reclaim": "slide"}, "reason": "left out"}]
})";

/// A folder that goes away with the object, with the sweep in it.
class SweepFolder {
 public:
  explicit SweepFolder(const std::string& text = small_sweep)
      : path_(std::filesystem::temp_directory_path() /
              ("vacancy_sweep_" + std::to_string(getpid()) + '_' + std::to_string(count()++))) {
    std::filesystem::create_directories(path_);
    std::ofstream(file()) << text;
  }
  SweepFolder(const SweepFolder&) = delete;
  SweepFolder& operator=(const SweepFolder&) = delete;
  ~SweepFolder() { std::filesystem::remove_all(path_); }

  std::filesystem::path file() const { return path_ / "sweep.json"; }
  std::filesystem::path out() const { return path_ / "out"; }

 private:
  static int& count() {
    static int made = 0;
    return made;
  }
  std::filesystem::path path_;
};

}  // namespace vacancy::test
