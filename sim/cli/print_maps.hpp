// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>

#include "sim/cli/run_options.hpp"
#include "sim/study/block_map.hpp"

namespace vacancy {

/// The blocks before and after the last eviction, or as they are now if there was none, and what
/// the characters mean.
void print_maps(std::ostream& out, const BlockMapRecorder& maps, const KvCache& cache, SimTime now,
                const RunOptions& options, const Console& console);

}  // namespace vacancy
