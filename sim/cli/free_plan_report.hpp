// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <ostream>
#include <string>

#include "sim/cli/console.hpp"
#include "sim/scenario/scenario.hpp"
#include "sim/serving/cache_manager.hpp"

namespace vacancy {

// --free-plan COUNT or SHARE %: what it would cost to free so many cached blocks after a run.

/// Throws UserError if the text is neither a count nor a share, or the scenario has no blocks of
/// which that could be asked.
void check_free_plan(const std::string& wanted, const Scenario& scenario);
/// `cache` followed its sharing.
void print_free_plan(std::ostream& out, const std::string& wanted, const CacheManager& cache,
                     std::size_t columns);

}  // namespace vacancy
