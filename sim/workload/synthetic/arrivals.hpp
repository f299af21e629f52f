// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/units/units.hpp"
#include "sim/workload/synthetic/options.hpp"
#include "sim/workload/synthetic/random_draws.hpp"

namespace vacancy {

/// Independent arrivals, numbered from 0; the first comes after one gap.
class Arrivals {
 public:
  Arrivals(const StreamOptions& options, const RandomDraws& draws);

  SimTime time() const { return time_; }
  std::uint32_t number() const { return number_; }
  void advance();

 private:
  SimTime gap() const;

  double rate_, burstiness_;
  RandomDraws draws_;
  std::uint32_t number_ = 0;
  SimTime time_;  // behind what gap() reads: members start in this order
};

/// Seconds in nanoseconds, rounded; what is beyond 292 years ends there.
SimTime nanoseconds(double seconds);
/// The sum; what is beyond 292 years ends there.
SimTime later(SimTime time, SimTime by);

}  // namespace vacancy
