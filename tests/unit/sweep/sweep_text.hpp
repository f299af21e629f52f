// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/sweep/sweep.hpp"

namespace vacancy::test {

/// A sweep of a small scenario: its axes, and further keys behind a comma.
inline Sweep small_sweep(const std::string& axes, const std::string& more = "") {
  return load_sweep_text(
      R"({"scenario": {"seed": 5, "cache": {"block_size": 8},
          "eviction": {"policy": "random", "budget": 32, "trigger": "once"},
          "workload": {"prompt_tokens": 128}}, "axes": )" +
          axes + more + "}",
      "sweep.json", ".", {});
}

}  // namespace vacancy::test
