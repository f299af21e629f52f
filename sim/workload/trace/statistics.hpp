// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// Lengths in tokens. Percentiles lie linearly between neighbouring ranks.
struct LengthFigures {
  std::uint64_t sum = 0;
  std::uint32_t minimum = 0, maximum = 0;
  double mean = 0, p50 = 0, p90 = 0, p99 = 0;
};

/// What an unbounded cache would find, requests one after another in the order of the trace.
struct BlockFigures {
  std::uint64_t references = 0, unique = 0, referenced_once = 0, most_references = 0;
  std::uint64_t requests_with_hit = 0;
  /// References to a block that an earlier request had, behind one that none had: 0 where keys
  /// stand for whole prefixes.
  std::uint64_t hits_after_miss = 0;

  /// The share of references whose key was seen before; nothing without references.
  std::optional<double> ideal_hit_ratio() const;
};

struct TraceFigures {
  TraceInfo info;
  std::uint64_t requests = 0;
  LengthFigures prompt, output;
  SimTime first, last;
  /// Standard deviation of the times between arrivals over their mean; nothing below two arrivals
  /// or where all are at once.
  std::optional<double> inter_arrival_cv;
  std::optional<BlockFigures> blocks;  // nothing without keys

  SimTime span() const { return last - first; }
  /// Requests over the span; nothing where all are at once.
  std::optional<double> requests_per_second() const;
};

/// Reads the trace to its end. Memory: 16 bytes a request, and a record for each distinct block.
TraceFigures measure_trace(TraceReader& trace);

}  // namespace vacancy
