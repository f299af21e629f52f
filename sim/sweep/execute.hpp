// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/sweep/journal.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy {

/// How far a sweep is, in runs, those of earlier starts included.
struct SweepProgress {
  std::uint64_t done = 0, total = 0;
  std::uint64_t early = 0;    // ended early or failed
  std::uint64_t refused = 0;  // void
};

/// Wall time of the runs of this start.
struct SweepTiming {
  std::uint64_t runs = 0;
  double seconds = 0;  // summed over runs
  std::uint64_t slowest_point = 0;
  double slowest_seconds = 0;
};

struct Execution {
  std::uint64_t points = 0;  // the first ones
  std::size_t jobs = 1;
  std::function<bool()> cancelled;                 // asked ten times a second
  std::function<void(const SweepProgress&)> tell;  // likewise
};

/// Runs what the journal lacks and adds it there. If it was cancelled, some of it is still lacking.
SweepTiming execute(const Sweep& sweep, Journal& journal, const Execution& how);

/// Whether the journal has all runs of the first points.
bool complete(const Sweep& sweep, const Journal& journal, std::uint64_t points);

/// What the first point that can run says of itself: notes, and data that are absent. If none of
/// the first points can, what they are refused for.
std::vector<std::string> sweep_notes(const Sweep& sweep);

}  // namespace vacancy
