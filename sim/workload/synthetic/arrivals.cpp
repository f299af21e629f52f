// SPDX-License-Identifier: Apache-2.0
#include "sim/workload/synthetic/arrivals.hpp"

#include <cmath>
#include <limits>

namespace vacancy {

namespace {

constexpr std::int64_t end_of_time = std::numeric_limits<std::int64_t>::max();

}  // namespace

Arrivals::Arrivals(const StreamOptions& options, const RandomDraws& draws)
    : rate_(options.rate), burstiness_(options.burstiness), draws_(draws), time_(gap()) {}

void Arrivals::advance() {
  ++number_;
  time_ = later(time_, gap());
}

SimTime Arrivals::gap() const {
  return nanoseconds(draws_.gamma(burstiness_, number_, 0, DrawPurpose::arrival) / rate_);
}

SimTime nanoseconds(double seconds) {
  const double time = std::floor(seconds * 1e9 + 0.5);
  return SimTime(time < 0x1.0p63 ? static_cast<std::int64_t>(time) : end_of_time);
}

SimTime later(SimTime time, SimTime by) {
  return by.value() > end_of_time - time.value() ? SimTime(end_of_time) : time + by;
}

}  // namespace vacancy
