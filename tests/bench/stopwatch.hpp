// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <vector>

namespace vacancy::bench {

template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Median seconds of `repeats` calls after one warm-up.
template <class F>
double median_seconds(int repeats, F&& f) {
  f();
  std::vector<double> times;
  for (int i = 0; i < repeats; ++i)
    times.push_back(seconds_of(f));
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats) / 2];
}

}  // namespace vacancy::bench
