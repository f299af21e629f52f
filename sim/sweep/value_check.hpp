// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/sweep/sweep.hpp"

namespace vacancy {

// A combination of values may mean nothing, which is a result; a value that no scenario takes is a
// mistake of the file.

/// Reports each value of the sampling that is not one of its key's, whatever stands beside it.
void check_values(const Sweep& sweep, Diagnostics& faults);

}  // namespace vacancy
