// SPDX-License-Identifier: Apache-2.0
#include "sim/cli/keep_sets_option.hpp"

#include <filesystem>
#include <string>

#include "sim/scenario/diagnostics.hpp"
#include "sim/units/counted.hpp"
#include "sim/units/error.hpp"

namespace vacancy {

void check_keep_sets(const RunOptions& options, const Scenario& scenario) {
  if (!keep_set_writer_for(std::filesystem::path(options.keep_sets).extension().string()))
    throw UserError("--keep-sets " + in_quotes(options.keep_sets) +
                    ": the name says no format. End it in .npz or .jsonl.");
  if (scenario.serving)
    throw UserError(
        "--keep-sets records sequences that run beside each other; the requests of this scenario "
        "run in an engine, which may share, preempt and restart them. Leave it out.");
  if (options.keep_sets_sequence >= scenario.sequences)
    throw UserError("--keep-sets-sequence " + std::to_string(options.keep_sets_sequence) +
                    ": the scenario has " + counted(scenario.sequences, "sequence") +
                    ", counted from 0. Name one of them.");
}

std::unique_ptr<KeepSetRecorder> record_keep_sets(const RunOptions& options, LockstepRun& run,
                                                  std::ostream* out) {
  if (!out) return nullptr;
  const KeepSetAxes axes = axes_of(run.simulation().cache().config().layout);
  const auto writer =
      keep_set_writer_for(std::filesystem::path(options.keep_sets).extension().string());
  auto recorder = std::make_unique<KeepSetRecorder>(SequenceId(options.keep_sets_sequence), axes,
                                                    writer(*out, axes));
  run.add_observer(*recorder);
  return recorder;
}

}  // namespace vacancy
