// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "sim/metrics/summary.hpp"

namespace vacancy {

/// A run without a clock or a scheduler: requests pass through a prefix cache one after another.
class Replay {
 public:
  virtual ~Replay() = default;

  /// Serves the next request; false if there was none, and all that were active have ended.
  virtual bool serve() = 0;
  virtual std::uint64_t requests() const = 0;
  /// The figures so far.
  virtual Summary summary() const = 0;
};

}  // namespace vacancy
