// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/sweep/run_record.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy {

/// A figure over the replicates of a point.
struct Spread {
  std::uint64_t count = 0;
  std::optional<double> mean;
  std::optional<double> deviation;  // of the sample; nothing where all values are equal
};

struct PointResult {
  std::uint64_t point = 0;
  std::vector<Coordinate> at;
  /// The worst of its runs; `empty` only if all are.
  RunState state = RunState::done;
  std::string reason;  // of the first run in that state
  std::uint64_t runs = 0, completed = 0;
  /// Over the runs that completed; where none did, over those that ended early.
  std::vector<Spread> figures;
  bool on_front = false;  // no other point beats it
};

struct SweepResults {
  std::vector<bool> shown;  // of the sweep's figures; default ones that no point has are not
  std::vector<PointResult> points;

  std::uint64_t count(RunState state) const;
};

/// The results of points [0, limit), whose runs are all there.
SweepResults results_of(const Sweep& sweep, const std::map<std::uint64_t, RunRecord>& records,
                        std::uint64_t limit);

/// Mean and deviation of the sample, summed in order.
Spread spread_of(const std::vector<double>& values);

}  // namespace vacancy
