// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/sweep/results.hpp"

namespace vacancy {

// The results as files. They depend on the sweep and its runs alone, not on their order in time.

std::string results_csv(const Sweep& sweep, const SweepResults& results);
std::string results_json(const Sweep& sweep, const SweepResults& results);
std::string results_markdown(const Sweep& sweep, const SweepResults& results);

}  // namespace vacancy
