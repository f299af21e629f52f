// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>

#include "sim/workload/trace/trace.hpp"

namespace vacancy {

/// The same requests at other times: independent arrivals, `rate` a second, whose gaps have the
/// coefficient of variation `burstiness` (1: Poisson).
std::unique_ptr<TraceReader> with_drawn_arrivals(std::unique_ptr<TraceReader> requests, double rate,
                                                 double burstiness, std::uint64_t seed);

}  // namespace vacancy
