// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "sim/sweep/object_at.hpp"
#include "sim/sweep/sweep.hpp"

namespace vacancy {

/// Reads what a sweep leaves out and shows: skip, figures, pareto, tables and plots, of the sweep
/// whose axes were read.
void read_views(ObjectAt& file, Sweep& sweep, Diagnostics& faults);

}  // namespace vacancy
