// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <ostream>

#include "sim/cli/run_options.hpp"
#include "sim/keep_sets/keep_set_recorder.hpp"
#include "sim/study/lockstep_run.hpp"

namespace vacancy {

// --keep-sets FILE of `vacancy run`: the ending of its name says which format it has.

/// Throws UserError if the scenario has nothing to record, or the file's name no format.
void check_keep_sets(const RunOptions& options, const Scenario& scenario);
/// Listens to the run from now on; null without `out`.
std::unique_ptr<KeepSetRecorder> record_keep_sets(const RunOptions& options, LockstepRun& run,
                                                  std::ostream* out);

}  // namespace vacancy
