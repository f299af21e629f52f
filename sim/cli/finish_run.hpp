// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "sim/cli/console.hpp"
#include "sim/cli/interrupt.hpp"
#include "sim/study/scenario_run.hpp"

namespace vacancy {

/// Steps until the run is over, and shows on standard error how far it is in `unit`, unless
/// `quiet`. False if the user cancelled it.
bool finish_run(ScenarioRun& run, const InterruptGuard& guard, const Console& console, bool quiet,
                const std::string& unit);

}  // namespace vacancy
