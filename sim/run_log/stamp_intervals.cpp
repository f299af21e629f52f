// SPDX-License-Identifier: Apache-2.0
#include "sim/run_log/stamp_intervals.hpp"

#include <algorithm>
#include <optional>

namespace vacancy {
namespace {

/// A stamp of a request and the step in which the simulation has it.
struct MappedStamp {
  SimTime time;
  std::uint32_t step;
};

std::vector<MappedStamp> mapped_stamps(const RunLog& log, const SimulatedRun& run) {
  std::vector<MappedStamp> stamps;
  for (std::size_t i = 0; i < log.requests.size(); ++i) {
    stamps.push_back({log.requests[i].first_token, run.requests[i].first_token});
    stamps.push_back({log.requests[i].last_token, run.requests[i].last_token});
  }
  std::erase_if(stamps, [](const MappedStamp& stamp) { return stamp.step == no_step; });
  std::sort(stamps.begin(), stamps.end(), [](const MappedStamp& a, const MappedStamp& b) {
    return a.time != b.time ? a.time < b.time : a.step < b.step;
  });
  return stamps;
}

}  // namespace

std::vector<StampInterval> stamp_intervals(const RunLog& log, const SimulatedRun& run) {
  const std::vector<MappedStamp> stamps = mapped_stamps(log, run);
  std::vector<StampInterval> intervals;
  std::optional<MappedStamp> previous;
  bool warm = false;
  for (std::size_t first = 0; first < stamps.size();) {
    std::size_t last = first;
    while (last < stamps.size() && stamps[last].time == stamps[first].time)
      ++last;
    // Requests that share a stamp ended in one step; where the simulation disagrees, most decide.
    const MappedStamp stamp{stamps[first].time, stamps[(first + last) / 2].step};
    first = last;
    if (warm && previous->step < stamp.step) {
      StampInterval interval{previous->time, stamp.time, previous->step + 1, stamp.step, {}};
      for (std::uint32_t step = interval.first_step; step <= interval.last_step; ++step)
        interval.idle += run.steps[step].begin - run.steps[step - 1].end;
      intervals.push_back(interval);
    }
    warm = previous.has_value();
    previous = stamp;
  }
  return intervals;
}

}  // namespace vacancy
