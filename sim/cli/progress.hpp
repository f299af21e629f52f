// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "sim/cli/console.hpp"

namespace vacancy {

/// Tells on standard error how far a run is, once it takes more than a second: a line that renews
/// itself on a terminal, elsewhere a plain line every ten seconds.
class Progress {
 public:
  /// `unit`: what is counted, in the plural.
  Progress(const Console& console, bool enabled, std::string unit);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `planned`: 0 where nobody knows. `detail` stands behind the counts.
  void update(std::uint64_t done, std::uint64_t planned, const std::string& detail = "");

 private:
  using Clock = std::chrono::steady_clock;

  const Console& console_;
  bool enabled_;
  std::string unit_;
  bool line_shown_ = false;
  std::optional<std::uint64_t> done_before_;  // at the first update
  Clock::time_point start_, next_;
};

}  // namespace vacancy
