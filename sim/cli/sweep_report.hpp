// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <ostream>

#include "sim/sweep/execute.hpp"
#include "sim/sweep/results.hpp"

namespace vacancy {

/// The results of a sweep for people: tables, the Pareto front, refused points, wall time.
void print_sweep_report(std::ostream& out, const Sweep& sweep, const SweepResults& results,
                        const SweepTiming& timing, std::size_t columns);

}  // namespace vacancy
