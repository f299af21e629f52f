// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/finish_run.hpp"

#include "sim/cli/progress.hpp"

namespace vacancy {

bool finish_run(ScenarioRun& run, const InterruptGuard& guard, const Console& console, bool quiet,
                const std::string& unit) {
  Progress progress(console, !quiet, unit);
  while (run.step() && !guard.interrupted())
    progress.update(run.done(), run.planned());
  return !guard.interrupted();
}

}  // namespace vacancy
